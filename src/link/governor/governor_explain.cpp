#include <algorithm>

#include <fmt/format.h>

#include "link/governor/governor.h"

namespace tandem::link {
namespace {

// A text in a caller's buffer, cut off at the buffer's end.
class Sentence {
 public:
  explicit Sentence(std::span<char> room) : room_(room) {}
  template <class... Args>
  void Add(fmt::format_string<Args...> format, Args&&... args) {
    const std::span<char> rest = room_.subspan(size_);
    size_ += std::min(rest.size(), fmt::vformat_to_n(rest.data(), rest.size(), format, fmt::make_format_args(args...)).size);
  }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::span<char> room_;
  std::size_t size_ = 0;
};

}  // namespace

std::size_t Governor::Explain(std::span<char> room) const {
  Sentence text(room);
  const auto name = ToString(chosen_);
  if (!desc_.request.Allows(LinkEncoding::kPlain) && chosen_ != LinkEncoding::kPlain && FrameNs(chosen_) == 0) {
    text.Add("{}: plain frames are not allowed.", name);
    return text.size();
  }
  const Cost& cost = CostOf(chosen_);
  text.Add("{}: a frame may take {:.1f} ms; encoding takes {:.1f}, the link {:.1f}, decoding {:.1f} ms", name, frame_ns_ / 1e6,
           cost.encode_ns / 1e6, LinkNs(cost) / 1e6, cost.decode_ns / 1e6);
  for (const LinkEncoding encoding : kLinkEncodingsByPicture) {
    if (encoding == chosen_) break;
    if (!desc_.request.Allows(encoding)) {
      text.Add("; {} is not allowed", ToString(encoding));
    } else {
      text.Add("; {} would take {:.1f} ms", ToString(encoding), FrameNs(encoding) / 1e6);
    }
  }
  if (IsDesktop() && chosen_ != LinkEncoding::kPlain) text.Add("; the pictures stand mostly still and stay exact");
  if (chosen_ == LinkEncoding::kLossless && lossy_)
    text.Add("; the last frame lost low bits, so as to have no more bytes than allowed");
  text.Add(".");
  return text.size();
}

}  // namespace tandem::link
