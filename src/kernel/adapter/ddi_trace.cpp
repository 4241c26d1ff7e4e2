#include "kernel/adapter/ddi_trace.h"

#include <unistd.h>

#include <fmt/format.h>

#include "base/status_name.h"
#include "base/thread.h"

namespace tandem::kernel {
namespace {

Mutex mutex;
std::uint64_t calls TANDEM_GUARDED_BY(mutex) = 0;
std::uint64_t unfinished TANDEM_GUARDED_BY(mutex) = 0;  // whose line is the last one and has no end yet; 0: none

const char* NameOf(KIRQL irql) {
  switch (irql) {
    case PASSIVE_LEVEL: return "PASSIVE_LEVEL";
    case DISPATCH_LEVEL: return "DISPATCH_LEVEL";
    default: return "DIRQL";
  }
}

std::string Head(const char* adapter, KIRQL irql) { return fmt::format("{:>7} {:<7} {:<14} ", gettid(), adapter, NameOf(irql)); }

// A line that nobody reads is lost.
void Write(int fd, const std::string& text) { static_cast<void>(!write(fd, text.data(), text.size())); }

}  // namespace

constinit std::atomic<int> DdiTrace::trace_fd{-1};

void DdiTrace::Append(std::string& text, const std::string& part) { text += (text.empty() ? "" : ", ") + part; }

void DdiTrace::AppendHandle(std::string& text, const void* handle) { Append(text, fmt::format("{}", handle)); }

void DdiTrace::Begin(const char* adapter, const char* ddi, KIRQL irql, const std::string& arguments) {
  adapter_ = adapter;
  ddi_ = ddi;
  irql_ = irql;
  const MutexLock lock(mutex);
  call_ = ++calls;
  Write(trace_fd, fmt::format("{}{}{}({})", unfinished == 0 ? "" : " ...\n", Head(adapter, irql), ddi, arguments));
  unfinished = call_;
}

void DdiTrace::End(const NTSTATUS* status, const std::string& answer) const {
  const std::string end =
      fmt::format("{}{}{}\n", status == nullptr ? "" : " = " + StatusText(*status), answer.empty() ? "" : ", ", answer);
  const MutexLock lock(mutex);
  if (unfinished == call_) {
    Write(trace_fd, end);
  } else {
    Write(trace_fd, fmt::format("{}{}... {}{}", unfinished == 0 ? "" : " ...\n", Head(adapter_, irql_), ddi_, end));
  }
  unfinished = 0;
}

}  // namespace tandem::kernel
