// What the frames of a link trial show.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tandem::system {

// A few are drawn before, and presented in turn.
enum class LinkContent : std::uint8_t {
  kGame,     // a scene that moves, all of it
  kDesktop,  // a user interface of which a small part changes
  kVideo,    // noise over gradients, which packs badly
};
inline constexpr std::uint32_t kLinkContents = 3;
[[nodiscard]] std::string_view ToString(LinkContent content);  // "game", "desktop", "video"

// Of each content.
inline constexpr std::uint32_t kLinkPictures = 4;

// Pictures that trials share, for drawing them takes as long as a short trial. Those of the extent that was asked for last are
// kept, 12 at the most: 400 MB at 3840 x 2160. One thread at a time.
class LinkPictures {
 public:
  // width x height pixels of B8G8R8A8, opaque, rows one after the other; `number` is below kLinkPictures. Drawn when it is asked
  // for first, and there until another extent is asked for.
  [[nodiscard]] const std::vector<std::byte>& At(LinkContent content, std::uint32_t width, std::uint32_t height,
                                                 std::uint32_t number);

 private:
  std::uint32_t width_ = 0;
  std::uint32_t height_ = 0;
  std::array<std::array<std::vector<std::byte>, kLinkPictures>, kLinkContents> pictures_;  // empty: not drawn yet
};

}  // namespace tandem::system
