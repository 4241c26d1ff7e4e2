#include "drivers/common/standard_surface.h"

#include "color/format.h"
namespace tandem::drivers {
namespace {

Result<StandardSurface> ReadGdiSurface(const D3DKMDT_GDISURFACEDATA& gdi) {
  StandardSurface surface{StandardUse::kShared, gdi.Width, gdi.Height, ToColorFormat(gdi.Format), false, 0, 0};
  switch (gdi.Type) {
    case D3DKMDT_GDISURFACE_TEXTURE: surface.use = StandardUse::kTexture; return surface;
    case D3DKMDT_GDISURFACE_STAGING:
    case D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE:
    case D3DKMDT_GDISURFACE_EXISTINGSYSMEM:
    case D3DKMDT_GDISURFACE_TEXTURE_CPUVISIBLE:
    case D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER:
    case D3DKMDT_GDISURFACE_TEXTURE_CPUVISIBLE_CROSSADAPTER: break;
    default: return Fail(ErrorKind::kUnsupported, "GDI surfaces of type {} are not made.", static_cast<int>(gdi.Type));
  }
  // Existing system memory arrives as a row of bytes without a format.
  surface.heap = gdi.Format == D3DDDIFMT_UNKNOWN && gdi.Height == 1;
  surface.pitch = surface.heap ? 0 : gdi.Pitch;
  return surface;
}

}  // namespace

Result<StandardSurface> ReadStandardSurface(const DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA& args, std::uint32_t sources) {
  if (args.pCreateGdiSurfaceData == nullptr) {  // any member of the union
    return Fail(ErrorKind::kInvalidArgument, "Standard allocation type {} comes without its data.",
                static_cast<int>(args.StandardAllocationType));
  }
  switch (args.StandardAllocationType) {
    case D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE: {
      const auto& primary = *args.pCreateSharedPrimarySurfaceData;
      const std::uint32_t source = primary.VidPnSourceId;
      if (source >= sources) return Fail(ErrorKind::kInvalidArgument, "Source {} is not below {}.", source, sources);
      return StandardSurface{
          StandardUse::kPrimary, primary.Width, primary.Height, ToColorFormat(primary.Format), false, 0, source};
    }
    case D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE: {
      const auto& shadow = *args.pCreateShadowSurfaceData;
      return StandardSurface{StandardUse::kShared, shadow.Width, shadow.Height, ToColorFormat(shadow.Format), false, 0, 0};
    }
    case D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE: {
      const auto& staging = *args.pCreateStagingSurfaceData;
      return StandardSurface{StandardUse::kShared, staging.Width, staging.Height, color::Format::kB8G8R8A8Unorm, false, 0, 0};
    }
    case D3DKMDT_STANDARDALLOCATION_GDISURFACE: return ReadGdiSurface(*args.pCreateGdiSurfaceData);
    default: break;
  }
  return Fail(ErrorKind::kUnsupported, "Standard allocations of type {} are not made.",
              static_cast<int>(args.StandardAllocationType));
}

void WritePitch(DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA& args, const StandardSurface& surface, std::uint32_t pitch) {
  switch (args.StandardAllocationType) {
    case D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE: args.pCreateShadowSurfaceData->Pitch = pitch; break;
    case D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE: args.pCreateStagingSurfaceData->Pitch = pitch; break;
    case D3DKMDT_STANDARDALLOCATION_GDISURFACE: args.pCreateGdiSurfaceData->Pitch = surface.heap ? 0 : pitch; break;
    default: break;
  }
}

}  // namespace tandem::drivers
