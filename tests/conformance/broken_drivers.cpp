#include "tests/conformance/broken_drivers.h"

#include <atomic>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "color/yuv.h"
#include "drivers/processor/allocation_data.h"

// The linker gives the soft driver's DriverEntry this function in place of DxgkInitialize (--wrap).
extern "C" NTSTATUS __real_DxgkInitialize(DRIVER_OBJECT* driver, UNICODE_STRING* path, DRIVER_INITIALIZATION_DATA* table);

namespace tandem::conform {
namespace {

void (*table_edit)(DRIVER_INITIALIZATION_DATA& table) = nullptr;
DRIVER_INITIALIZATION_DATA sound;  // the table before the edit
std::atomic<int> calls{0};

bool IsCopy(const DXGKARG_PRESENT& present) { return present.Flags.Blt != 0; }

// Each of these DxgkDdiPresent functions has one fault.

NTSTATUS SkipTheLastRectangle(HANDLE context, DXGKARG_PRESENT* present) {
  if (present->SubRectCnt > 1) --present->SubRectCnt;
  return sound.DxgkDdiPresent(context, present);
}

NTSTATUS LoseTheRightColumn(HANDLE context, DXGKARG_PRESENT* present) {
  RECT narrow = present->SubRectCnt == 1 ? present->pDstSubRects[0] : RECT{};
  if (narrow.right - narrow.left > 1) {
    --narrow.right;
    present->pDstSubRects = &narrow;
  }
  return sound.DxgkDdiPresent(context, present);
}

NTSTATUS ForgetToRotate(HANDLE context, DXGKARG_PRESENT* present) {
  present->Flags.Rotate = 0;
  if (present->DstRect.right > present->DstRect.bottom) return sound.DxgkDdiPresent(context, present);
  // A quarter turn's rectangle exceeds the memory; its upper left corner fits.
  const RECT corner{0, 0, 8, 8};
  present->DstRect = present->SrcRect = corner;
  present->SubRectCnt = 1;
  present->pDstSubRects = &corner;
  return sound.DxgkDdiPresent(context, present);
}

NTSTATUS FillWithAnotherColor(HANDLE context, DXGKARG_PRESENT* present) {
  present->Color ^= 1;
  return sound.DxgkDdiPresent(context, present);
}

// Reports an operation that no driver supports.
NTSTATUS CallConversionsIllegal(HANDLE context, DXGKARG_PRESENT* present) {
  const NTSTATUS status = sound.DxgkDdiPresent(context, present);
  return status == STATUS_GRAPHICS_CANNOTCOLORCONVERT ? STATUS_ILLEGAL_INSTRUCTION : status;
}

NTSTATUS CopyFromTheCorner(HANDLE context, DXGKARG_PRESENT* present) {
  present->SrcRect = {0, 0, present->SrcRect.right - present->SrcRect.left, present->SrcRect.bottom - present->SrcRect.top};
  return sound.DxgkDdiPresent(context, present);
}

NTSTATUS StopAfterOneBuffer(HANDLE context, DXGKARG_PRESENT* present) {
  const NTSTATUS status = sound.DxgkDdiPresent(context, present);
  return status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER ? STATUS_SUCCESS : status;
}

// The kernel stops a driver that finishes a present without a command, so one pixel remains.
NTSTATUS PresentOnePixel(HANDLE context, DXGKARG_PRESENT* present) {
  RECT pixel = present->SubRectCnt != 0 ? present->pDstSubRects[0] : present->DstRect;
  pixel.right = pixel.left + 1;
  pixel.bottom = pixel.top + 1;
  present->SubRectCnt = 1;
  present->pDstSubRects = &pixel;
  return sound.DxgkDdiPresent(context, present);
}

NTSTATUS SwallowTheSecondCopy(HANDLE context, DXGKARG_PRESENT* present) {
  if (IsCopy(*present) && ++calls == 2) return PresentOnePixel(context, present);
  return sound.DxgkDdiPresent(context, present);
}

NTSTATUS SwallowCopies(HANDLE context, DXGKARG_PRESENT* present) {
  return IsCopy(*present) ? PresentOnePixel(context, present) : sound.DxgkDdiPresent(context, present);
}

NTSTATUS RefuseTheSecondFlip(HANDLE context, DXGKARG_PRESENT* present) {
  if (present->Flags.Flip != 0 && ++calls == 2) return STATUS_ILLEGAL_INSTRUCTION;
  return sound.DxgkDdiPresent(context, present);
}

NTSTATUS SwallowCopiesOnceNoted(HANDLE context, DXGKARG_PRESENT* present) {
  return IsCopy(*present) && calls != 0 ? PresentOnePixel(context, present) : sound.DxgkDdiPresent(context, present);
}

NTSTATUS SwallowTheFortiethCopy(HANDLE context, DXGKARG_PRESENT* present) {
  if (IsCopy(*present) && ++calls == 40) return PresentOnePixel(context, present);
  return sound.DxgkDdiPresent(context, present);
}

NTSTATUS IgnoreColorKeys(HANDLE context, DXGKARG_PRESENT* present) {
  present->Flags.SrcColorKey = present->Flags.DstColorKey = 0;
  return sound.DxgkDdiPresent(context, present);
}

NTSTATUS IgnoreLinearToSrgb(HANDLE context, DXGKARG_PRESENT* present) {
  present->Flags.LinearToSrgb = 0;
  return sound.DxgkDdiPresent(context, present);
}

// The rules create one allocation at a time.
NTSTATUS TakeRedForBlue(HANDLE adapter, DXGKARG_CREATEALLOCATION* args) {
  processor::AllocationData data;
  DXGK_ALLOCATIONINFO& info = args->pAllocationInfo[0];
  if (info.PrivateDriverDataSize != sizeof(data)) return sound.DxgkDdiCreateAllocation(adapter, args);
  std::memcpy(&data, info.pPrivateDriverData, sizeof(data));
  if (data.format == color::Format::kR8G8B8A8Unorm) data.format = color::Format::kB8G8R8A8Unorm;
  VOID* const given = std::exchange(info.pPrivateDriverData, &data);
  const NTSTATUS status = sound.DxgkDdiCreateAllocation(adapter, args);
  info.pPrivateDriverData = given;
  return status;
}
void TakeRedForBlueAlways(DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiCreateAllocation = &TakeRedForBlue; }

// The following functions work until an event happens.

NTSTATUS NoteTheReset(HANDLE adapter) {
  ++calls;
  return sound.DxgkDdiResetFromTimeout(adapter);
}
NTSTATUS NoteTheEngineReset(HANDLE adapter, DXGKARG_RESETENGINE* args) {
  ++calls;
  return sound.DxgkDdiResetEngine(adapter, args);
}
NTSTATUS NoteARefusedAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* args) {
  const NTSTATUS status = sound.DxgkDdiCreateAllocation(adapter, args);
  if (!NT_SUCCESS(status)) ++calls;
  return status;
}
NTSTATUS NoteARefusedBuffer(HANDLE context, DXGKARG_RENDER* args) {
  const NTSTATUS status = sound.DxgkDdiRender(context, args);
  if (!NT_SUCCESS(status)) ++calls;
  return status;
}

NTSTATUS NoteTheUnplug(PVOID adapter) {
  ++calls;
  return sound.DxgkDdiStopDevice(adapter);
}

NTSTATUS SkipFills(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* args) {
  if (args->Operation == DXGK_OPERATION_FILL) return STATUS_SUCCESS;
  return sound.DxgkDdiBuildPagingBuffer(adapter, args);
}

NTSTATUS TransferHalf(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* args) {
  if (args->Operation == DXGK_OPERATION_TRANSFER) args->Transfer.TransferSize /= 2;
  return sound.DxgkDdiBuildPagingBuffer(adapter, args);
}

NTSTATUS SkipTransfers(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* args) {
  if (args->Operation == DXGK_OPERATION_TRANSFER) return STATUS_SUCCESS;
  return sound.DxgkDdiBuildPagingBuffer(adapter, args);
}

NTSTATUS OpenNothingOfOthers(HANDLE device, const DXGKARG_OPENALLOCATION* args) {
  return args->Flags.Create != 0 ? sound.DxgkDdiOpenAllocation(device, args) : STATUS_NO_MEMORY;
}

// Each of these functions has a fault in sharing backing stores.

NTSTATUS ForgetTheBackingStore(HANDLE adapter, DXGKARG_SETALLOCATIONBACKINGSTORE* args) {
  static std::byte elsewhere[1 << 20];
  args->pBackingStore = elsewhere;
  return sound.DxgkDdiSetAllocationBackingStore(adapter, args);
}

// Keeps user mode's address: the kernel maps the same pages a second time for itself.
NTSTATUS TakeTheUsersAddress(HANDLE adapter, DXGKARG_SETALLOCATIONBACKINGSTORE* args) {
  struct Mapping {
    std::uintptr_t begin;
    std::string pages;  // device and inode of the pages
  };
  const auto own = reinterpret_cast<std::uintptr_t>(args->pBackingStore);
  std::vector<Mapping> mappings;
  std::string pages;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::string range, access, offset, device, inode;
    words >> range >> access >> offset >> device >> inode;
    mappings.push_back({std::stoull(range, nullptr, 16), device + ' ' + inode});
    if (mappings.back().begin == own) pages = mappings.back().pages;
  }
  for (const Mapping& mapping : mappings) {
    if (mapping.pages == pages && mapping.begin != own) args->pBackingStore = reinterpret_cast<void*>(mapping.begin);
  }
  return sound.DxgkDdiSetAllocationBackingStore(adapter, args);
}

NTSTATUS ShareNothing(HANDLE adapter, DXGKARG_CREATEALLOCATION* args) {
  const NTSTATUS status = sound.DxgkDdiCreateAllocation(adapter, args);
  for (UINT i = 0; NT_SUCCESS(status) && i < args->NumAllocations; ++i) args->pAllocationInfo[i].Flags2.Value = 0;
  return status;
}

void ForgetBackingStores(DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiSetAllocationBackingStore = &ForgetTheBackingStore; }

// The soft driver's feature interface with one function replaced.
DXGKDDI_FEATURE_INTERFACE sound_features;

NTSTATUS OfferNoVersion(HANDLE adapter, DXGKARG_QUERYFEATURESUPPORT* args) {
  const NTSTATUS status = sound_features.QueryFeatureSupport(adapter, args);
  args->MinSupportedVersion = 0;
  return status;
}

NTSTATUS TellALargerInterface(HANDLE adapter, DXGKARG_QUERYFEATUREINTERFACE* args) {
  const NTSTATUS status = sound_features.QueryFeatureInterface(adapter, args);
  ++args->InterfaceSize;
  return status;
}

void OfferNoVersions(DXGKDDI_FEATURE_INTERFACE& features) { features.QueryFeatureSupport = &OfferNoVersion; }
void TellLargerInterfaces(DXGKDDI_FEATURE_INTERFACE& features) { features.QueryFeatureInterface = &TellALargerInterface; }

template <void (*change)(DXGKDDI_FEATURE_INTERFACE&)>
void BendFeatures(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiQueryInterface = [](const PVOID context, QUERY_INTERFACE* query) {
    const NTSTATUS status = sound.DxgkDdiQueryInterface(context, query);
    auto& features = *reinterpret_cast<DXGKDDI_FEATURE_INTERFACE*>(query->Interface);
    sound_features = features;
    change(features);
    return status;
  };
}

NTSTATUS OfferNothing(HANDLE, DXGKARG_QUERYFEATURESUPPORT* args) {
  args->SupportedByDriver = args->SupportedOnCurrentConfig = FALSE;
  args->MinSupportedVersion = args->MaxSupportedVersion = 0;
  return STATUS_SUCCESS;
}

// A restarted adapter offers less than before.
void OfferLessLater(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiQueryInterface = [](const PVOID context, QUERY_INTERFACE* query) {
    constexpr int kAdapters = 2;
    const NTSTATUS status = sound.DxgkDdiQueryInterface(context, query);
    auto& features = *reinterpret_cast<DXGKDDI_FEATURE_INTERFACE*>(query->Interface);
    if (NT_SUCCESS(status) && ++calls > kAdapters) features.QueryFeatureSupport = &OfferNothing;
    return status;
  };
}

template <NTSTATUS (*present)(HANDLE, DXGKARG_PRESENT*)>
void Present(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiPresent = present;
}

std::vector<BrokenDriver> WithTheOthers(std::vector<BrokenDriver> drivers) {
  for (const std::vector<BrokenDriver>& others :
       {DriversThatLie(), DriversThatShowWrongly(), DriversThatSubmitWrongly(), DriversWithWrongTargets(),
        DriversWithWrongVidPns(), DriversWithWrongScreens(), DriversThatWindowsRejects(), DriversWithBrokenUserMode()}) {
    drivers.insert(drivers.end(), others.begin(), others.end());
  }
  if constexpr (color::kHasYuv420) drivers.push_back({"LosesTheRightColumn", "CrossAdapter.Nv12", &Present<&LoseTheRightColumn>});
  return drivers;
}

}  // namespace

const std::vector<BrokenDriver>& BrokenDrivers() {
  static const std::vector<BrokenDriver> drivers = WithTheOthers({
      {"SkipsTheLastRectangle", "Present.Blt.SubRects", &Present<&SkipTheLastRectangle>},
      {"LosesTheRightColumn", "Present.Blt.Sizes", &Present<&LoseTheRightColumn>},
      {"LosesTheRightColumn", "Present.Blt.ScreenToScreen", &Present<&LoseTheRightColumn>},
      {"ForgetsToRotate", "Present.Blt.Rotate", &Present<&ForgetToRotate>},
      {"LosesTheRightColumn", "Present.Blt.Stretch", &Present<&LoseTheRightColumn>},
      {"FillsWithAnotherColor", "Present.ColorFill", &Present<&FillWithAnotherColor>},
      {"FillsWithAnotherColor", "Palette.Indexes", &Present<&FillWithAnotherColor>},
      {"CallsConversionsIllegal", "Palette.Conversion", &Present<&CallConversionsIllegal>},
      {"StopsAfterOneBuffer", "Present.Multipass", &Present<&StopAfterOneBuffer>},
      {"SwallowsTheSecondCopy", "Present.Order", &Present<&SwallowTheSecondCopy>},
      {"CopiesFromTheCorner", "Flip.Sources", &Present<&CopyFromTheCorner>},
      {"RefusesTheSecondFlip", "Flip.NoOp", &Present<&RefuseTheSecondFlip>},
      {"SwallowsCopies", "Flip.BehindCopy", &Present<&SwallowCopies>},
      {"SwallowsTheSecondCopy", "CrossAdapter.OneCopy", &Present<&SwallowTheSecondCopy>},
      {"SwallowsTheSecondCopy", "CrossAdapter.SameBytes", &Present<&SwallowTheSecondCopy>},
      {"OpensNothingOfOthers", "CrossAdapter.Lifetime",
       [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiOpenAllocation = &OpenNothingOfOthers; }},
      {"SwallowsCopiesAfterAnUnplug", "CrossAdapter.Unplugged",
       [](DRIVER_INITIALIZATION_DATA& table) {
         table.DxgkDdiStopDevice = &NoteTheUnplug;
         table.DxgkDdiPresent = &SwallowCopiesOnceNoted;
       }},
      {"SkipsTransfers", "Memory.Storm",
       [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiBuildPagingBuffer = &SkipTransfers; }},
      {"SkipsTransfers", "Memory.Pieces",
       [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiBuildPagingBuffer = &SkipTransfers; }},
      {"SwallowsTheSecondCopy", "Memory.Evict", &Present<&SwallowTheSecondCopy>},
      {"ForgetsBackingStores", "BackingStore.SameBytes", &ForgetBackingStores},
      {"TakesTheUsersAddress", "BackingStore.KernelAddress",
       [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiSetAllocationBackingStore = &TakeTheUsersAddress; }},
      {"ForgetsBackingStores", "BackingStore.SecondDevice", &ForgetBackingStores},
      {"SwallowsCopies", "BackingStore.GpuWrites", &Present<&SwallowCopies>},
      {"SharesNothing", "BackingStore.CreatedShared",
       [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiCreateAllocation = &ShareNothing; }},
      {"OffersNoVersion", "Feature.Query", &BendFeatures<&OfferNoVersions>, {}, SeenBy::kKernel},
      {"TellsALargerInterface", "Feature.Interface", &BendFeatures<&TellLargerInterfaces>, {}, SeenBy::kKernel},
      {"SkipsTheLastRectangle", "Workload.Random", &Present<&SkipTheLastRectangle>},
      {"SkipsTransfers", "Workload.Moved",
       [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiBuildPagingBuffer = &SkipTransfers; }},
      {"SwallowsTheSecondCopy", "CrossAdapter.InPlace", &Present<&SwallowTheSecondCopy>},
      {"SwallowsTheSecondCopy", "Workload.Display", &Present<&SwallowTheSecondCopy>},
      {"SwallowsTheSecondCopy", "LifeCycle.Refused", &Present<&SwallowTheSecondCopy>},
      {"IgnoresColorKeys", "Present.Blt.SrcColorKey", &Present<&IgnoreColorKeys>},
      {"IgnoresColorKeys", "Present.Blt.DstColorKey", &Present<&IgnoreColorKeys>},
      {"IgnoresLinearToSrgb", "Present.Blt.LinearToSrgb", &Present<&IgnoreLinearToSrgb>},
      {"TakesRedForBlue", "Present.Blt.Formats", &TakeRedForBlueAlways},
      {"TakesRedForBlue", "Present.ColorFill.Formats", &TakeRedForBlueAlways},
      {"LosesTheRightColumn", "Present.Blt.Clipped", &Present<&LoseTheRightColumn>},
      {"SkipsTheLastRectangle", "Present.Blt.StretchedRects", &Present<&SkipTheLastRectangle>},
      {"LosesTheRightColumn", "Present.Blt.Images", &Present<&LoseTheRightColumn>},
      {"FillsWithAnotherColor", "Screen.FillPrimary", &Present<&FillWithAnotherColor>},
      {"LosesTheRightColumn", "Screen.ReadPrimary", &Present<&LoseTheRightColumn>},
      {"LosesTheRightColumn", "CrossAdapter.Tiers", &Present<&LoseTheRightColumn>},
      {"SwallowsTheFortiethCopy", "Context.Apart", &Present<&SwallowTheFortiethCopy>},
      {"SkipsFills", "Memory.Cleared", [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiBuildPagingBuffer = &SkipFills; }},
      {"TransfersHalf", "Memory.Large",
       [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiBuildPagingBuffer = &TransferHalf; }},
      {"SwallowsCopiesAfterAnUnplug", "LifeCycle.Twins",
       [](DRIVER_INITIALIZATION_DATA& table) {
         table.DxgkDdiStopDevice = &NoteTheUnplug;
         table.DxgkDdiPresent = &SwallowCopiesOnceNoted;
       }},
      {"SwallowsCopiesAfterAReset", "Recovery.Adapter",
       [](DRIVER_INITIALIZATION_DATA& table) {
         table.DxgkDdiResetFromTimeout = &NoteTheReset;
         table.DxgkDdiPresent = &SwallowCopiesOnceNoted;
       }},
      {"SwallowsCopiesAfterAReset", "Recovery.Engine",
       [](DRIVER_INITIALIZATION_DATA& table) {
         table.DxgkDdiResetEngine = &NoteTheEngineReset;
         table.DxgkDdiPresent = &SwallowCopiesOnceNoted;
       }},
      {"SwallowsCopiesAfterARefusal", "Hostile.PrivateData",
       [](DRIVER_INITIALIZATION_DATA& table) {
         table.DxgkDdiCreateAllocation = &NoteARefusedAllocation;
         table.DxgkDdiPresent = &SwallowCopiesOnceNoted;
       }},
      {"SwallowsCopiesAfterARefusal", "Hostile.Commands",
       [](DRIVER_INITIALIZATION_DATA& table) {
         table.DxgkDdiRender = &NoteARefusedBuffer;
         table.DxgkDdiPresent = &SwallowCopiesOnceNoted;
       }},
      {"OffersLessLater", "Feature.Query", &OfferLessLater},
      {"OffersLessLater", "Feature.Interface", &OfferLessLater},
  });
  return drivers;
}

const DRIVER_INITIALIZATION_DATA& SoundTable() { return sound; }

DriverUnderTest Break(const DriverUnderTest& soft, const BrokenDriver& broken) {
  table_edit = broken.edit;
  DriverUnderTest driver = soft;
  driver.name = broken.what;
  if (broken.open_adapter != nullptr) driver.open_adapter = broken.open_adapter;
  if (broken.attach != nullptr) driver.host = std::make_shared<kernel::DriverHost>(broken.attach);
  return driver;
}

}  // namespace tandem::conform

extern "C" NTSTATUS __wrap_DxgkInitialize(DRIVER_OBJECT* driver, UNICODE_STRING* path, DRIVER_INITIALIZATION_DATA* table) {
  using namespace tandem::conform;  // NOLINT(google-build-using-namespace): a C function
  sound = *table;
  DRIVER_INITIALIZATION_DATA edited = *table;
  if (table_edit != nullptr) table_edit(edited);
  return __real_DxgkInitialize(driver, path, &edited);
}
