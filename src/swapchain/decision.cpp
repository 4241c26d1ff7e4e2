#include "swapchain/decision.h"

#include <utility>

#include <fmt/core.h>

#include "base/check.h"
#include "link/surface/link_surface.h"

namespace tandem::swapchain {
namespace {

constexpr std::uint32_t kTierCopy = 1;
constexpr std::uint32_t kTierTexture = 2;
constexpr std::uint32_t kTierScanOut = 3;

// Plain frames fit a link with this reserve; with less, every disturbance of the link costs frames.
constexpr std::uint64_t kLinkReserve = 8;  // one part in eight

// An emulated link counts alone, whatever real link lies below it.
std::uint64_t LinkOf(const PairFacts& facts) { return facts.emulated_link != 0 ? facts.emulated_link : facts.measured_link; }
const char* OriginOf(const PairFacts& facts) { return facts.emulated_link != 0 ? "emulated" : "measured"; }

bool CarriesPlainFrames(const PairFacts& facts) {
  const std::uint64_t link = LinkOf(facts);
  return link - link / kLinkReserve >= facts.plain_bytes;
}

std::string TierSentence(const std::string& name, const char* role, std::uint32_t tier, std::uint32_t needed,
                         const char* meaning) {
  return fmt::format("{} adapter {} has cross-adapter tier {} and tier {} is needed ({})", role, name, tier, needed, meaning);
}

std::string WithoutFullStop(std::string sentence) {
  if (sentence.ends_with('.')) sentence.pop_back();
  return sentence;
}

double Megabytes(std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

// True if a path that needs less memory may still work.
bool IsMemory(ErrorKind kind) { return kind == ErrorKind::kOutOfMemory || kind == ErrorKind::kOutOfVideoMemory; }

// True if the adapter is lost, so that no other path helps.
bool IsFatal(ErrorKind kind) { return kind == ErrorKind::kDeviceLost || kind == ErrorKind::kSurfaceLost; }

}  // namespace

bool IsWithinScanOutMinimum(std::uint32_t width, std::uint32_t height, DXGI_FORMAT format) {
  switch (format) {
    case DXGI_FORMAT_R16G16B16A16_FLOAT:
    case DXGI_FORMAT_R10G10B10A2_UNORM:
    case DXGI_FORMAT_R8G8B8A8_UNORM:
    case DXGI_FORMAT_R8G8B8A8_UNORM_SRGB:
    case DXGI_FORMAT_B8G8R8A8_UNORM:
    case DXGI_FORMAT_B8G8R8A8_UNORM_SRGB: return width <= 1920 && height <= 1080;
    default: return false;
  }
}

std::vector<PathCandidates::Candidate> PathCandidates::CandidatesFor(PathRequest request, const PairFacts& facts) {
  std::vector<Candidate> candidates;
  const bool compresses =
      request == PathRequest::kCompressed || (request == PathRequest::kAuto && facts.has_encodings && LinkOf(facts) != 0);
  if (facts.only_yuv420 && (compresses || request == PathRequest::kOneCopy)) {
    candidates.push_back({Path::kOneCopy, link::LinkEncoding::kYuv420});
  }
  if (compresses) candidates.push_back({Path::kCompressed});
  const std::pair<PathRequest, Path> plain[] = {{PathRequest::kDirect, Path::kDirect},
                                                {PathRequest::kOneCopy, Path::kOneCopy},
                                                {PathRequest::kTwoCopy, Path::kTwoCopy},
                                                {PathRequest::kCpuCopy, Path::kCpuCopy}};
  for (const auto& [asked, path] : plain) {
    if (request == PathRequest::kAuto || request == asked) candidates.push_back({path});
  }
  return candidates;
}

PathCandidates::PathCandidates(PathRequest request, PairFacts facts)
    : request_(request), facts_(std::move(facts)), candidates_(CandidatesFor(request, facts_)) {
  SkipRefusedByCaps();
}

std::optional<Path> PathCandidates::current() const {
  return candidates_.empty() ? std::nullopt : std::optional(candidates_.front().path);
}

link::LinkEncoding PathCandidates::encoding() const {
  TANDEM_CHECK(!candidates_.empty());
  return candidates_.front().encoding;
}

std::optional<std::string> PathCandidates::CompressionRefused() const {
  if (!facts_.has_encodings) return "encodings are switched off";
  if (request_ == PathRequest::kAuto && CarriesPlainFrames(facts_)) {
    return fmt::format("the link carries {:.0f} MB/s ({}), which is enough for plain frames at {:.0f} MB/s",
                       Megabytes(LinkOf(facts_)), OriginOf(facts_), Megabytes(facts_.plain_bytes));
  }
  if (request_ == PathRequest::kAuto && facts_.emulated_link == 0 && !facts_.encode_refusal.empty()) return facts_.encode_refusal;
  return std::nullopt;
}

std::optional<std::string> PathCandidates::RefusedByCaps(const Candidate& candidate) const {
  const Path path = candidate.path;
  const bool encodes = path == Path::kCompressed || candidate.encoding != link::LinkEncoding::kPlain;
  if (encodes) {
    if (auto refusal = CompressionRefused()) return refusal;
  }
  if (facts_.images_exist && path == Path::kDirect) return "the program's images were made for another display adapter";
  if (facts_.hud && path == Path::kDirect) return "figures are drawn into what is shown, and that is the program's own image";
  if (facts_.hud && candidate.encoding == link::LinkEncoding::kYuv420) return "figures are not drawn into NV12";
  if (candidate.encoding == link::LinkEncoding::kYuv420 && !facts_.has_eight_bits) {
    return "NV12 is made of pictures with eight bits a channel";
  }
  if (candidate.encoding == link::LinkEncoding::kYuv420 && !facts_.other_yuv.empty()) {
    return fmt::format("NV12 is scanned out as {}, and {} was asked for", link::LinkYuvText({}), facts_.other_yuv);
  }
  if (candidate.encoding == link::LinkEncoding::kYuv420 && (facts_.width % 2 != 0 || facts_.height % 2 != 0)) {
    return fmt::format("NV12 has pictures of even extents and {} x {} is not", facts_.width, facts_.height);
  }
  // Shaders encode before a real link. The processor stands behind that link and makes NV12 if shaders do not encode.
  if (candidate.encoding == link::LinkEncoding::kYuv420 && facts_.emulated_link == 0 && facts_.measured_link != 0 &&
      !(facts_.encode_refusal.empty() && facts_.render_bounce_reason.empty())) {
    return fmt::format("frames would become NV12 behind the link of {:.0f} MB/s (measured), and cross it as they are",
                       Megabytes(facts_.measured_link));
  }
  const bool scans_out = path == Path::kDirect || path == Path::kOneCopy;
  const std::uint32_t display_needs = scans_out ? kTierScanOut : kTierCopy;
  if (facts_.display_tier < display_needs) {
    return TierSentence(facts_.display_name, "display", facts_.display_tier, display_needs,
                        scans_out ? "scan-out of shared memory" : "copies from shared memory");
  }
  const std::uint32_t render_needs = path == Path::kDirect ? kTierTexture : kTierCopy;
  if (facts_.render_tier < render_needs) {
    return TierSentence(facts_.render_name, "render", facts_.render_tier, render_needs,
                        path == Path::kDirect ? "drawing into shared memory" : "copies into shared memory");
  }
  const bool by_processor = path == Path::kCpuCopy || encodes;
  if (!by_processor && !facts_.render_bounce_reason.empty()) {
    return fmt::format("render adapter {} does not reach shared memory itself: {}", facts_.render_name,
                       WithoutFullStop(facts_.render_bounce_reason));
  }
  if (path == Path::kTwoCopy && !facts_.display_bounce_reason.empty()) {
    return fmt::format("display adapter {} does not reach shared memory itself: {}", facts_.display_name,
                       WithoutFullStop(facts_.display_bounce_reason));
  }
  if (path == Path::kCpuCopy && facts_.render_bounce_reason.empty() && facts_.display_bounce_reason.empty()) {
    return fmt::format("{} and {} reach shared memory themselves, so there is nothing for the processor to copy",
                       facts_.render_name, facts_.display_name);
  }
  if (path == Path::kDirect && facts_.emulated_link != 0) {
    return fmt::format("what render adapter {} draws into shared memory would not cross the emulated link", facts_.render_name);
  }
  if (path == Path::kDirect && request_ == PathRequest::kAuto && facts_.render_is_discrete) {
    return fmt::format("render adapter {} is discrete: all that it draws would cross the bus, overdrawn pixels several times",
                       facts_.render_name);
  }
  return std::nullopt;
}

void PathCandidates::RefuseWith(const std::string& sentence) {
  const Candidate& candidate = candidates_.front();
  const char* const form = candidate.encoding == link::LinkEncoding::kYuv420 ? " with NV12" : "";
  refused_.push_back(fmt::format("{}{}: {}.", ToString(candidate.path), form, sentence));
  candidates_.erase(candidates_.begin());
}

void PathCandidates::SkipRefusedByCaps() {
  while (!candidates_.empty()) {
    const auto refusal = RefusedByCaps(candidates_.front());
    if (!refusal) return;
    RefuseWith(*refusal);
  }
}

void PathCandidates::Refuse(const BuildFailure& failure) {
  TANDEM_CHECK(!candidates_.empty());
  if (IsMemory(failure.error.kind)) memory_ = failure.error.kind;
  std::string why = WithoutFullStop(failure.error.message);
  switch (failure.step) {
    case BuildStep::kScanOutBuffer:
      why = fmt::format("display adapter {} did not create a shared primary: {}", facts_.display_name, why);
      break;
    case BuildStep::kNoScanout:
      why = fmt::format("display adapter {} does not scan this surface out of shared memory (NO_SCANOUT){}", facts_.display_name,
                        facts_.within_minimum && encoding() == link::LinkEncoding::kPlain
                            ? ", which tier 3 does not allow it for one of up to 1920 x 1080 pixels"
                            : "");
      break;
    case BuildStep::kStaticCheck:
      why = fmt::format("display adapter {} cannot scan this surface out as it is set up now (StaticCheck)", facts_.display_name);
      break;
    case BuildStep::kSharedBuffer:
      why = fmt::format("display adapter {} did not create a shared buffer: {}", facts_.display_name, why);
      break;
    case BuildStep::kOpen:
      why = fmt::format("render adapter {} did not open the shared buffer: {}", facts_.render_name, why);
      break;
    case BuildStep::kPrimary:
      why = fmt::format("display adapter {} did not create a primary: {}", facts_.display_name, why);
      break;
    case BuildStep::kMap: why = fmt::format("the shared buffer of {} is not visible: {}", facts_.display_name, why); break;
    case BuildStep::kImages: why = fmt::format("render adapter {} did not create the images: {}", facts_.render_name, why); break;
  }
  RefuseWith(why);
  if (IsFatal(failure.error.kind)) {
    fatal_ = failure.error.kind;
    candidates_.clear();
  }
  SkipRefusedByCaps();
}

PathDecision PathCandidates::Accept() const {
  TANDEM_CHECK(!candidates_.empty());
  const Path path = candidates_.front().path;
  PathDecision decision;
  decision.path = path;
  decision.encoding = candidates_.front().encoding;
  decision.refused = refused_;
  switch (path) {
    case Path::kDirect:
      decision.reason = fmt::format("{} draws into memory that {} scans out.", facts_.render_name, facts_.display_name);
      break;
    case Path::kOneCopy:
      decision.reason = decision.encoding == link::LinkEncoding::kPlain
                            ? fmt::format("{} copies into memory that {} scans out.", facts_.render_name, facts_.display_name)
                            : fmt::format("{} copies as 4:2:0 into memory that {} scans out as NV12, so no copy decodes{}.",
                                          facts_.render_name, facts_.display_name, WhyCompressed());
      break;
    case Path::kTwoCopy:
      decision.reason =
          fmt::format("{} copies into shared memory, {} from there into its own.", facts_.render_name, facts_.display_name);
      break;
    case Path::kCpuCopy:
      decision.reason = fmt::format(
          "The processor copies what {} drew into memory that {} reads: {}.", facts_.render_name, facts_.display_name,
          WithoutFullStop(facts_.render_bounce_reason.empty() ? facts_.display_bounce_reason : facts_.render_bounce_reason));
      break;
    case Path::kCompressed:
      decision.reason = fmt::format("{} encodes into shared memory, {} decodes from there into its own{}.", facts_.render_name,
                                    facts_.display_name, WhyCompressed());
      break;
  }
  if (request_ != PathRequest::kAuto) decision.reason += " It was asked for.";
  return decision;
}

std::string PathCandidates::WhyCompressed() const {
  if (LinkOf(facts_) == 0) return {};
  return fmt::format(": the link carries {:.0f} MB/s ({}), plain frames would need {:.0f} MB/s", Megabytes(LinkOf(facts_)),
                     OriginOf(facts_), Megabytes(facts_.plain_bytes));
}

Error PathCandidates::Failure() const {
  std::string all;
  for (const std::string& sentence : refused_) all += (all.empty() ? "" : " ") + sentence;
  return Fail(fatal_.value_or(memory_.value_or(ErrorKind::kUnsupported)), "No path for the frames (asked for: {}). {}",
              ToString(request_), all);
}

}  // namespace tandem::swapchain
