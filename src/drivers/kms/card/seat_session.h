// A card on a console of its own, without root: a session of the seat (seatd or systemd-logind) opens it, by libseat.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/thread.h"
#include "base/unique_fd.h"

struct libseat;

namespace tandem::kms {

// Called by the seat's thread, with no lock held, as the user switches consoles.
class SeatListener {
 public:
  virtual ~SeatListener() = default;
  // The console is this session's: the card is master again and shows what another program left. Commit everything.
  virtual void OnSeatEnabled() = 0;
  // The console goes to another session when this returns; commits are refused from then on (CommitOutcome::kNotMaster).
  virtual void OnSeatDisabled() = 0;
};

class SeatSession {
 public:
  // Takes a session of the seat and opens `path` through it, at most ten seconds long. libseat.so.1 is loaded here. kUnsupported
  // without libseat, or where neither seatd nor logind gives this process a seat; kTimeout while another session has the
  // console; kIo for a node that the seat does not open. `listener` outlives the result.
  [[nodiscard]] static Result<std::unique_ptr<SeatSession>> Open(const std::string& path, SeatListener& listener);
  // Gives node and session back. No listener runs afterwards. Not on the seat's thread.
  ~SeatSession();
  SeatSession(const SeatSession&) = delete;
  SeatSession& operator=(const SeatSession&) = delete;

  // The opened node, which is the card's master while the console is this session's. Once.
  [[nodiscard]] UniqueFd TakeCard() { return std::move(card_); }

 private:
  explicit SeatSession(SeatListener& listener) : listener_(listener) {}
  Result<void> Prepare(const std::string& path);
  Result<void> WaitUntilEnabled();
  void Run();
  void OnEnabled();
  void OnDisabled();

  SeatListener& listener_;
  // Used by the opening thread, then by the seat's thread alone, at last by the closing one: libseat takes one at a time.
  libseat* seat_ = nullptr;
  int device_ = -1;  // libseat's number of the card
  bool enabled_ = false;
  bool listening_ = false;
  UniqueFd card_;
  UniqueFd wake_;
  std::atomic<bool> stop_{false};
  Thread thread_;
};

}  // namespace tandem::kms
