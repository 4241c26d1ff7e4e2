// A man between an X client and its server, who makes the server one with faults.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/thread.h"
#include "base/unique_fd.h"

namespace tandem::outputs::testing {

// May be changed at any time.
struct XFaults {
  std::atomic<bool> drops_completions{false};  // no CompleteNotify of Present
  std::atomic<bool> drops_idles{false};        // no IdleNotify of Present
  std::atomic<bool> counts_nothing{false};     // CompleteNotify with an MSC of 0
  std::atomic<bool> has_no_time{false};        // CompleteNotify with a UST of 0
  std::atomic<std::uint64_t> last_us{0};       // UST of the last CompleteNotify
  std::atomic<bool> is_mute{false};            // nothing reaches the client any more
  std::atomic<int> messages_left{-1};          // the server hangs up after as many; -1: never
  // Requests that fail with BadRequest: major opcode and minor opcode, 0: none.
  std::atomic<std::uint8_t> refused_major{0}, refused_minor{0};
};

class XProxy {
 public:
  // Listens for clients of the local server `display`, in the form ":number". Null when the system has no sockets left.
  static std::unique_ptr<XProxy> Start(const std::string& display, XFaults& faults);
  ~XProxy() { Stop(); }
  XProxy(const XProxy&) = delete;
  XProxy& operator=(const XProxy&) = delete;

  [[nodiscard]] const std::string& display() const { return display_; }
  // Hangs up.
  void Stop();

 private:
  // One direction each way; descriptors travel to the server alone.
  struct Pair {
    UniqueFd client, server;
    bool is_set_up = false;              // the server's first answer, which has another form, has passed
    bool has_said_hello = false;         // the client's
    std::size_t request_rest = 0;        // bytes of a request that follow
    std::vector<std::byte> from_server;  // a message's beginning
  };

  XProxy(std::string server_path, XFaults& faults) : server_path_(std::move(server_path)), faults_(faults) {}
  void Run();
  void Accept();
  // False when one side has hung up.
  bool ToServer(Pair& pair);
  bool ToClient(Pair& pair);
  void RefuseRequests(Pair& pair, std::byte* bytes, std::size_t size) const;
  // False when the message does not pass.
  bool Pass(std::byte* message) const;

  const std::string server_path_;
  XFaults& faults_;
  std::string display_;
  UniqueFd listener_;
  UniqueFd wake_;
  std::vector<std::unique_ptr<Pair>> pairs_;
  std::atomic<bool> stop_{false};
  Thread thread_;
};

}  // namespace tandem::outputs::testing
