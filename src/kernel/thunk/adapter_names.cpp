#include "kernel/thunk/adapter_names.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace tandem::kernel {
namespace {

template <class Char>
struct RegistryInfo {
  Char adapter[MAX_PATH];
  Char bios[MAX_PATH];
  Char dac[MAX_PATH];
  Char chip[MAX_PATH];
};
static_assert(sizeof(RegistryInfo<WCHAR>) == sizeof(D3DKMT_ADAPTERREGISTRYINFO));

template <class Char>
struct Description {
  Char text[4096];
};
static_assert(sizeof(Description<WCHAR>) == sizeof(D3DKMT_DRIVER_DESCRIPTION));

template <class Char, std::size_t kSize>
void CopyName(std::string_view name, Char (&out)[kSize]) {
  name = name.substr(0, kSize - 1);
  std::transform(name.begin(), name.end(), out, [](char c) { return static_cast<Char>(static_cast<unsigned char>(c)); });
}

template <class Char>
void Fill(const AdapterDescription& adapter, RegistryInfo<Char>& info) {
  CopyName(adapter.name, info.adapter);
  CopyName(adapter.driver_name, info.chip);
}

template <class Char>
void Fill(const AdapterDescription& adapter, Description<Char>& info) {
  CopyName(adapter.name, info.text);
}

template <class Info>
NTSTATUS Write(const AdapterDescription& adapter, const D3DKMT_QUERYADAPTERINFO& query) {
  if (query.pPrivateDriverData == nullptr || query.PrivateDriverDataSize < sizeof(Info)) return STATUS_BUFFER_TOO_SMALL;
  Info info{};
  Fill(adapter, info);
  std::memcpy(query.pPrivateDriverData, &info, sizeof(info));
  return STATUS_SUCCESS;
}

template <template <class> class Info>
NTSTATUS WriteEither(const AdapterDescription& adapter, const D3DKMT_QUERYADAPTERINFO& query) {
  const bool wide = query.PrivateDriverDataSize == sizeof(Info<char32_t>);
  return wide ? Write<Info<char32_t>>(adapter, query) : Write<Info<WCHAR>>(adapter, query);
}

}  // namespace

NTSTATUS QueryAdapterNames(const AdapterInstance& unit, const D3DKMT_QUERYADAPTERINFO& query) {
  const bool description = query.Type == KMTQAITYPE_DRIVER_DESCRIPTION || query.Type == KMTQAITYPE_DRIVER_DESCRIPTION_RENDER;
  return description ? WriteEither<Description>(unit.description(), query) : WriteEither<RegistryInfo>(unit.description(), query);
}

}  // namespace tandem::kernel
