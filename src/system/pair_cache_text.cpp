#include "system/pair_cache_text.h"

#include <limits>
#include <utility>

#include "system/cache_fields.h"

namespace tandem::system {
namespace {

constexpr const char* kProbes = "probes";
constexpr const char* kUdmabuf = "udmabuf";

struct Kind {
  const char* name;
  PageAbility PageAbilities::*ability;
};
constexpr Kind kKindsOfPages[] = {{"memfd", &PageAbilities::memfd},
                                  {"foreign_dma_buf", &PageAbilities::foreign_dma_buf},
                                  {"own_dma_buf", &PageAbilities::own_dma_buf},
                                  {"anonymous", &PageAbilities::anonymous}};

Json ToObject(const ProbedAdapter& probed) {
  Json object{{"fences", KeptText(probed.fences)}};
  for (const Kind& kind : kKindsOfPages) {
    const PageAbility& ability = probed.pages.*kind.ability;
    object[kind.name] = {{"works", ability.works},
                         {"reason", KeptText(ability.reason)},
                         {"write", ability.write_bytes_per_second},
                         {"read", ability.read_bytes_per_second}};
  }
  return object;
}

Result<PageAbility> ToAbility(const Json& object) {
  Fields fields(object);
  PageAbility ability;
  ability.works = fields.Flag("works");
  ability.reason = fields.Text("reason");
  ability.write_bytes_per_second = fields.Number("write", std::numeric_limits<std::uint64_t>::max());
  ability.read_bytes_per_second = fields.Number("read", std::numeric_limits<std::uint64_t>::max());
  if (fields.wrong().empty()) return ability;
  return Fail(ErrorKind::kInvalidArgument, "Field {} of a probe is missing or outside its limits.", fields.wrong());
}

Result<ProbedAdapter> ToProbed(const Json& object) {
  Fields fields(object);
  ProbedAdapter probed;
  probed.fences = fields.Text("fences");
  if (!fields.wrong().empty()) return Fail(ErrorKind::kInvalidArgument, "A probe lacks its sentence about fences.");
  for (const Kind& kind : kKindsOfPages) {
    const auto found = object.find(kind.name);
    if (found == object.end()) return Fail(ErrorKind::kInvalidArgument, "A probe lacks its field {}.", kind.name);
    auto ability = ToAbility(*found);
    if (!ability.ok()) return std::move(ability).error();
    probed.pages.*kind.ability = *std::move(ability);
  }
  return probed;
}

}  // namespace

std::string PairCacheText(const KeptProbes& probes, const Machine& machine) {
  Json root = Json::parse(AdapterCacheText(probes.adapters, machine));
  root[kUdmabuf] = probes.udmabuf;
  root[kProbes] = Json::array();
  for (const ProbedAdapter& probed : probes.probed) root[kProbes].push_back(ToObject(probed));
  return root.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<KeptProbes> ParsePairCache(std::string_view text, const Machine& machine) {
  auto adapters = ParseAdapterCache(text, machine);
  if (!adapters.ok()) return std::move(adapters).error();
  const Json root = Json::parse(text);  // an object of limited depth
  const auto list = root.find(kProbes);
  if (list == root.end() || !list->is_array() || list->size() != adapters->size())
    return Fail(ErrorKind::kInvalidArgument, "It has not one probe for each of its {} adapters.", adapters->size());
  Fields fields(root);
  KeptProbes kept;
  kept.udmabuf = fields.Flag(kUdmabuf);
  if (!fields.wrong().empty()) return Fail(ErrorKind::kInvalidArgument, "It lacks its field {}.", kUdmabuf);
  for (const Json& object : *list) {
    auto probed = ToProbed(object);
    if (!probed.ok()) return std::move(probed).error();
    kept.probed.push_back(*std::move(probed));
  }
  kept.adapters = *std::move(adapters);
  return kept;
}

}  // namespace tandem::system
