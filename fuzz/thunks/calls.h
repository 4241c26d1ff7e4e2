// The calls of which a random program is made. Each takes its arguments from the program's input and keeps what it creates.
#pragma once

#include "fuzz/thunks/program.h"

namespace tandem::fuzz {

using Call = void (*)(Program& program);

void CreateDevice(Program& program);
void CreateContext(Program& program);
void DestroyContext(Program& program);
void CreateAllocation(Program& program);
void DestroyAllocation(Program& program);
void Open(Program& program);
void Present(Program& program);
void Render(Program& program);
void LockAndTouch(Program& program);
void Residency(Program& program);
void Offer(Program& program);
void QueryAdapter(Program& program);
void OwnSource(Program& program);
void Fence(Program& program);
void Mutex(Program& program);
void OpenShared(Program& program);
void Share(Program& program);
void DestroySync(Program& program);
void Signal(Program& program);

}  // namespace tandem::fuzz
