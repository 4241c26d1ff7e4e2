#include "shim/class9/formats.h"

#include <algorithm>

namespace tandem::shim {
namespace {

// Most entries that are read of a driver's answer.
constexpr UINT kMaxFormats = 1024;

struct Row {
  DXGI_FORMAT rendered;
  D3DDDIFORMAT exact;
  D3DDDIFORMAT converted;  // by the copy into a primary; D3DDDIFMT_UNKNOWN: no copy converts it
};

constexpr Row kRows[] = {
    {DXGI_FORMAT_R16G16B16A16_FLOAT, D3DDDIFMT_A16B16G16R16F, D3DDDIFMT_A8R8G8B8},
    {DXGI_FORMAT_R10G10B10A2_UNORM, D3DDDIFMT_A2B10G10R10, D3DDDIFMT_A8R8G8B8},
    {DXGI_FORMAT_R8G8B8A8_UNORM, D3DDDIFMT_A8B8G8R8, D3DDDIFMT_A8R8G8B8},
    {DXGI_FORMAT_R8G8B8A8_UNORM_SRGB, D3DDDIFMT_A8B8G8R8, D3DDDIFMT_A8R8G8B8},
    {DXGI_FORMAT_B8G8R8A8_UNORM, D3DDDIFMT_A8R8G8B8, D3DDDIFMT_UNKNOWN},
    {DXGI_FORMAT_B8G8R8A8_UNORM_SRGB, D3DDDIFMT_A8R8G8B8, D3DDDIFMT_UNKNOWN},
    {DXGI_FORMAT_B8G8R8X8_UNORM, D3DDDIFMT_X8R8G8B8, D3DDDIFMT_A8R8G8B8},
    {DXGI_FORMAT_B8G8R8X8_UNORM_SRGB, D3DDDIFMT_X8R8G8B8, D3DDDIFMT_A8R8G8B8},
    {DXGI_FORMAT_B5G6R5_UNORM, D3DDDIFMT_R5G6B5, D3DDDIFMT_UNKNOWN},
    {DXGI_FORMAT_B5G5R5A1_UNORM, D3DDDIFMT_A1R5G5B5, D3DDDIFMT_UNKNOWN},
    {DXGI_FORMAT_R8_UNORM, D3DDDIFMT_L8, D3DDDIFMT_UNKNOWN},
    {DXGI_FORMAT_A8_UNORM, D3DDDIFMT_A8, D3DDDIFMT_UNKNOWN},
    {DXGI_FORMAT_NV12, D3DDDIFMT_NV12, D3DDDIFMT_UNKNOWN},
};

const Row* RowOf(DXGI_FORMAT format) {
  const auto* const row = std::ranges::find(kRows, format, &Row::rendered);
  return row == std::end(kRows) ? nullptr : row;
}

// Each of the four bytes is a printable character.
bool IsFourCharacters(UINT format) {
  for (int shift = 0; shift < 32; shift += 8) {
    const UINT character = (format >> shift) & 0xFF;
    if (character < 0x20 || character > 0x7E) return false;
  }
  return true;
}

}  // namespace

D3DDDIFORMAT ExactFormat(DXGI_FORMAT format) {
  if (const Row* const row = RowOf(format)) return row->exact;
  const auto number = static_cast<UINT>(format);
  return IsFourCharacters(number) ? static_cast<D3DDDIFORMAT>(number) : D3DDDIFMT_UNKNOWN;
}

ShownFormats ShownFormats::Of(HANDLE adapter, PFND3DDDI_GETCAPS get_caps) {
  ShownFormats shown;
  UINT count = 0;
  D3DDDIARG_GETCAPS ask{D3DDDICAPS_GETFORMATCOUNT, nullptr, &count, sizeof(count)};
  if (get_caps != nullptr && SUCCEEDED(get_caps(adapter, &ask)) && count > 0 && count <= kMaxFormats) {
    std::vector<FORMATOP> answers(count);
    ask = {D3DDDICAPS_GETFORMATDATA, nullptr, answers.data(), static_cast<UINT>(answers.size() * sizeof(FORMATOP))};
    if (FAILED(get_caps(adapter, &ask))) answers.clear();
    for (const FORMATOP& answer : answers) {
      if ((answer.Operations & FORMATOP_DISPLAYMODE) != 0) shown.formats_.push_back(answer.Format);
    }
  }
  if (shown.formats_.empty()) shown.formats_ = {D3DDDIFMT_A8R8G8B8, D3DDDIFMT_X8R8G8B8};
  return shown;
}

bool ShownFormats::Shows(D3DDDIFORMAT format) const { return std::ranges::find(formats_, format) != formats_.end(); }

D3DDDIFORMAT ShownFormats::DisplayFormat(DXGI_FORMAT format) const {
  const D3DDDIFORMAT exact = ExactFormat(format);
  if (Shows(exact)) return exact;
  const Row* const row = RowOf(format);
  return row != nullptr && Shows(row->converted) ? row->converted : D3DDDIFMT_UNKNOWN;
}

}  // namespace tandem::shim
