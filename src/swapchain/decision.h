// Which way the frames take: the candidates, and the sentence for each candidate that breaks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "link/surface/link_surface.h"
#include "swapchain/swap_chain.h"

namespace tandem::swapchain {

// What is known of the pair before anything is created.
struct PairFacts {
  std::string render_name;
  std::string display_name;
  std::uint32_t render_tier = 0;      // D3DKMT_CROSSADAPTERRESOURCE_SUPPORT_TIER, 0..3
  std::uint32_t display_tier = 0;     // the same
  bool render_is_discrete = false;    // D3DKMT_ADAPTERTYPE.HybridDiscrete: system memory lies behind a bus
  std::string render_bounce_reason;   // AdapterBinding::bounce_reason
  std::string display_bounce_reason;  // the same; scan-out does not go through it
  bool within_minimum = false;        // every tier 3 adapter scans such a surface out (IsWithinScanOutMinimum)
  bool has_encodings = false;         // SwapChainDesc::encodings
  bool has_eight_bits = true;         // of each channel, and is shown as it is: what NV12 is made of
  std::uint64_t emulated_link = 0;    // AdapterBinding::emulated_link of the render adapter, bytes a second
  std::uint64_t measured_link = 0;    // the narrower of both adapters' AdapterBinding::measured_link, bytes a second; 0: unknown
  std::string encode_refusal{};       // AdapterBinding::encode_refusal of the render adapter
  std::uint64_t plain_bytes = 0;      // a second, of plain frames at the output's rate
  bool only_yuv420 = false;           // EncodingPolicy::Only is kYuv420, and the build has it
  std::string other_yuv{};            // how 4:2:0 is to be made; empty: as NV12 is scanned out
  std::uint32_t width = 0;            // pixels, of the frames
  std::uint32_t height = 0;
};

// 1920 x 1080 pixels or fewer each way, in one of the six formats that tier 3 requires.
[[nodiscard]] bool IsWithinScanOutMinimum(std::uint32_t width, std::uint32_t height, DXGI_FORMAT format);

// How creating the buffers of a path can fail.
enum class BuildStep : std::uint8_t {
  kScanOutBuffer,  // the display adapter's user-mode driver creates the cross-adapter primary
  kNoScanout,      // it answered DXGI_DDI_PRIMARY_DRIVER_FLAG_NO_SCANOUT
  kStaticCheck,    // its kernel-mode driver refuses the plane that is marked StaticCheck
  kSharedBuffer,   // the display adapter's user-mode driver creates the cross-adapter resource of two-copy
  kOpen,           // the render adapter opens it
  kPrimary,        // the display adapter's user-mode driver creates its own primary
  kMap,            // the processor sees the shared buffer
  kImages,         // the render adapter's user-mode driver creates the application's images
};

struct BuildFailure {
  BuildStep step = BuildStep::kOpen;
  Error error;
};

// Offers paths, best first, until one is accepted. Pure.
// Order: direct, one-copy, two-copy, cpu; before them compressed, where the link is known and does not carry plain frames, and
// before that, where frames are to be 4:2:0 alone, one-copy with NV12: what crosses is scanned out, and no copy decodes. By
// caps: direct and one-copy need tier 3 of the display adapter, two-copy and cpu tier 1; direct needs tier 2 of the render
// adapter, the others tier 1. Where a driver would copy through a bounce buffer the path is cpu, and nowhere else. Unasked, a
// discrete render adapter does not draw into system memory, where each overdrawn pixel would cross the bus. A path that was asked
// for is the only candidate; compressed and one-copy may have the one with NV12 before them.
class PathCandidates {
 public:
  PathCandidates(PathRequest request, PairFacts facts);

  // The path to try now; nothing when all are refused.
  [[nodiscard]] std::optional<Path> current() const;
  // Of the current path, how its frames stand in what the display adapter scans out: kPlain, or kYuv420 (NV12).
  [[nodiscard]] link::LinkEncoding encoding() const;
  void Refuse(const BuildFailure& failure);

  // For the current path, which works.
  [[nodiscard]] PathDecision Accept() const;
  // When there is no current path: kUnsupported with all reasons, the kind of the failure that ended the candidates, or that of
  // memory which ran out on a path that could have been had.
  [[nodiscard]] Error Failure() const;

 private:
  struct Candidate {
    Path path;
    link::LinkEncoding encoding = link::LinkEncoding::kPlain;
  };

  [[nodiscard]] static std::vector<Candidate> CandidatesFor(PathRequest request, const PairFacts& facts);
  void SkipRefusedByCaps();
  [[nodiscard]] std::optional<std::string> RefusedByCaps(const Candidate& candidate) const;
  [[nodiscard]] std::optional<std::string> CompressionRefused() const;
  [[nodiscard]] std::string WhyCompressed() const;
  void RefuseWith(const std::string& sentence);

  PathRequest request_;
  PairFacts facts_;
  std::vector<Candidate> candidates_;  // what is left, best first
  std::vector<std::string> refused_;
  std::optional<ErrorKind> fatal_;
  std::optional<ErrorKind> memory_;  // that ran out last
};

}  // namespace tandem::swapchain
