#include "status/frame_log.h"

#include <chrono>
#include <iterator>
#include <utility>

#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"
#include "base/timed_lock.h"

namespace tandem::status {
namespace {

constexpr std::chrono::milliseconds kPeriod{100};
constexpr int kNice = 10;  // below the program's own threads: the log may be late
// A line is shorter; the text is written when less room than this is left.
constexpr std::size_t kMostLineBytes = 512;

constexpr std::string_view kHeader =
    "swap_chain,frame,outcome,held,acquired_ms,presented_ms,shown_ms,path,shown_by,encoding,reason,link,link_bytes,encode_ms,"
    "link_ms,decode_ms,unchanged,lossy,lost_before\n";

// An empty field if there is no time.
template <class Text>
void AddMilliseconds(Text& text, std::int64_t ns) {
  if (ns != 0) fmt::format_to(std::back_inserter(text), "{:.3f}", static_cast<double>(ns) / 1e6);
  text.push_back(',');
}

template <class Text>
void AddLine(Text& text, std::uint64_t chain, const FrameQueue& queue, const FrameQueue::Entry& entry) {
  const swapchain::FrameLine& line = entry.line;
  const bool shown = line.shown_ns != 0;
  fmt::format_to(std::back_inserter(text), "{},{},{},{},", chain, line.number, shown ? "shown" : "dropped", line.held ? 1 : 0);
  for (const std::int64_t ns : {line.acquired_ns, line.presented_ns, line.shown_ns}) AddMilliseconds(text, ns);
  fmt::format_to(std::back_inserter(text), "{},{},", queue.path, shown ? ToString(line.shown_by) : std::string_view());
  if (line.encoding) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{},", ToString(*line.encoding), line.cause, queue.link, line.bytes);
  } else {
    fmt::format_to(std::back_inserter(text), ",,{},,", queue.link);
  }
  for (const std::int64_t ns : {line.encode_ns, line.link_ns, line.decode_ns}) AddMilliseconds(text, ns);
  if (line.encoding) {
    fmt::format_to(std::back_inserter(text), "{:.3f},{}", line.unchanged / 1000.0, line.lossy ? 1 : 0);
  } else {
    text.push_back(',');
  }
  fmt::format_to(std::back_inserter(text), ",{}\n", entry.lost);
}

}  // namespace

void FrameQueue::Report(const swapchain::FrameLine& line) {
  const std::uint64_t added = added_.load(std::memory_order_relaxed);
  if (added - taken_.load(std::memory_order_acquire) == entries_.size()) {
    ++lost_;
    return;
  }
  entries_[added % entries_.size()] = {line, std::exchange(lost_, 0)};
  added_.store(added + 1, std::memory_order_release);
}

bool FrameQueue::Take(Entry& entry) {
  const std::uint64_t taken = taken_.load(std::memory_order_relaxed);
  if (taken == added_.load(std::memory_order_acquire)) return false;
  entry = entries_[taken % entries_.size()];
  taken_.store(taken + 1, std::memory_order_release);
  return true;
}

FrameLog::~FrameLog() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.Join();
}

void FrameLog::Fail(const Error& error) {
  Log(LogLevel::kError, "The log of frames cannot be written. {}", error.message);
  file_ = ReplacementFile();
  failed_ = true;
}

bool FrameLog::Begin(const std::string& path) {
  auto file = ReplacementFile::Create(path);
  if (!file.ok()) {
    Fail(file.error());
    return false;
  }
  file_ = *std::move(file);
  text_.append(kHeader);
  auto thread = Thread::Start("tandem-log", [this] { Run(); });
  // Without a thread, all lines are written at the end, as many as there is room for.
  if (thread.ok()) thread_ = *std::move(thread);
  return true;
}

std::shared_ptr<FrameQueue> FrameLog::Open(const std::string& path) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (failed_ || (!file_.valid() && !Begin(path))) return nullptr;
    auto queue = std::make_shared<FrameQueue>();
    chains_.push_back({next_chain_++, queue});
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
    wake_.wait_for(lock, kPeriod);
    Drain();
  }
}

void FrameLog::Drain() {
  for (auto chain = chains_.begin(); chain != chains_.end();) {
    const bool closed = chain->queue->closed();
    FrameQueue::Entry entry;
    while (chain->queue->Take(entry)) {
      AddLine(text_, chain->number, *chain->queue, entry);
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
  if (file_.valid()) {
    if (auto written = file_.Write({text_.data(), text_.size()}); !written.ok()) Fail(written.error());
  }
  text_.clear();
}

void FrameLog::Publish() noexcept {
  try {
    const std::unique_lock lock = TimedLock(mutex_);
    if (!lock.owns_lock()) return;
    Drain();
    if (!file_.valid()) return;
    if (auto published = file_.Publish(); !published.ok()) Fail(published.error());
  } catch (...) {  // lines are lost when memory runs out
  }
}

}  // namespace tandem::status
