// The end of a driver: each part of the host stops its threads, reports what the driver left behind, and forgets it.
#pragma once

namespace tandem::drivers::host {

// In the order that EndLeftovers calls them. No thread of the driver calls the host any more, unless kThreadRunning is reported.
void EndThreads();
void EndExTimers();
void EndTimers();
void EndDpcs();
void EndWorkItems();
void EndWorkQueue();
void EndHandles();
void EndProviders();
void EndMdls();
void EndIoSpace();
void EndPool();
void EndSpinLocks();
void EndRegistry();

inline void EndLeftovers() {
  EndThreads();
  EndExTimers();
  EndTimers();
  EndDpcs();
  EndWorkItems();
  EndWorkQueue();
  EndHandles();
  EndProviders();
  EndMdls();
  EndIoSpace();
  EndPool();
  EndSpinLocks();
  EndRegistry();
}

}  // namespace tandem::drivers::host
