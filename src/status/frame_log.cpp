#include "status/frame_log.h"

#include <utility>

#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/timed_lock.h"

namespace tandem::status {
namespace {

constexpr std::int64_t kPeriodNs = 100'000'000;
constexpr int kNice = 10;  // below the program's own threads: the log may be late
// A line is shorter; the text is written when less room than this is left.
constexpr std::size_t kMostLineBytes = 4096;

}  // namespace

FrameLog::~FrameLog() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.NotifyAll();
  thread_.Join();
}

void FrameLog::Fail(const Error& error) {
  Log(LogLevel::kError, "The log of frames cannot be written. {}", error.message);
  file_ = ReplacementFile();
  failed_ = true;
}

bool FrameLog::Begin(const std::string& path, const FrameFormat& format, const FrameLogRun& run) {
  auto file = ReplacementFile::Create(path);
  if (!file.ok()) {
    Fail(file.error());
    return false;
  }
  file_ = *std::move(file);
  format_ = &format;
  run_ = run;
  text_.reserve(kTextBytes);
  format_->AddHead(text_, run_);
  auto thread = Thread::Start("tandem-log", [this] { Run(); });
  // Without a thread, all lines are written at the end, as many as there is room for.
  if (thread.ok()) thread_ = *std::move(thread);
  return true;
}

std::shared_ptr<FrameQueue> FrameLog::Open(const std::string& path, const FrameFormat& format, const FrameLogRun& run) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (failed_ || (!file_.valid() && !Begin(path, format, run))) return nullptr;
    auto queue = std::make_shared<FrameQueue>();
    chains_.push_back({.number = next_chain_++, .queue = queue});
    return queue;
  } catch (...) {
    Log(LogLevel::kError, "The log of frames cannot be written: out of memory.");
    return nullptr;
  }
}

void FrameLog::Run() {
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);  // always allowed
  std::unique_lock lock(mutex_);
  while (!stop_) {
    MonotonicClock().WaitUntil(lock, wake_, MonotonicClock().NowNs() + kPeriodNs);
    Drain();
  }
}

void FrameLog::Drain() {
  for (auto chain = chains_.begin(); chain != chains_.end();) {
    const bool closed = chain->queue->closed();
    FrameQueue::Entry entry;
    while (chain->queue->Take(entry)) {
      format_->AddLine(text_, run_, *chain, entry);
      chain->Follow(entry);
      if (text_.size() + kMostLineBytes > kTextBytes) Write();
    }
    if (closed && chain->queue->lost_at_end() != 0) {
      Log(LogLevel::kWarn, "The log of frames lacks the last {} lines of swap chain {}.", chain->queue->lost_at_end(),
          chain->number);
    }
    chain = closed ? chains_.erase(chain) : chain + 1;
  }
  Write();
}

void FrameLog::Write() {
  if (file_.valid() && !text_.empty()) {
    if (std::exchange(ended_, false)) file_.TakeBack(format_->end().size());
    if (auto written = file_.Write(text_); !written.ok()) Fail(written.error());
  }
  text_.clear();
}

void FrameLog::WriteEnd() {
  if (!file_.valid() || ended_ || file_.is_stream() || format_->end().empty()) return;
  if (auto written = file_.Write(format_->end()); !written.ok()) return Fail(written.error());
  ended_ = true;
}

void FrameLog::Publish() noexcept {
  try {
    const std::unique_lock lock = TimedLock(mutex_);
    if (!lock.owns_lock()) return;
    Drain();
    WriteEnd();
    if (!file_.valid()) return;
    if (auto published = file_.Publish(); !published.ok()) Fail(published.error());
  } catch (...) {  // lines are lost when memory runs out
  }
}

}  // namespace tandem::status
