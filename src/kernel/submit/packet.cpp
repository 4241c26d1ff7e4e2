#include "kernel/submit/packet.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/core.h>
#include <sys/mman.h>

#include "kernel/memory/residency.h"

namespace tandem::kernel {
namespace {

constexpr std::size_t kGuardBytes = PAGE_SIZE;
constexpr std::byte kGuardByte{0xA5};

bool IsElsewhere(const DXGK_ALLOCATIONLIST& element, const Allocation& allocation) {
  return element.SegmentId != (allocation.placement.segment & 31u) ||
         static_cast<std::uint64_t>(element.PhysicalAddress.QuadPart) != allocation.placement.address;
}

// The first `count` elements of `room`, which becomes shorter.
template <class T>
std::span<T> TakeFront(std::span<std::byte>& room, std::size_t count) {
  const std::span<T> taken(reinterpret_cast<T*>(room.data()), count);
  room = room.subspan(taken.size_bytes());
  return taken;
}

void SetAddress(DXGK_ALLOCATIONLIST& element, std::uint32_t segment, std::uint64_t address) {
  element.SegmentId = segment & 31u;
  element.PhysicalAddress.QuadPart = static_cast<LONGLONG>(address);
}

}  // namespace

PHYSICAL_ADDRESS Packet::DmaAddress() const {
  PHYSICAL_ADDRESS address{};
  address.QuadPart = static_cast<LONGLONG>(reinterpret_cast<std::uintptr_t>(dma.data()));
  return address;
}

void Packet::List(const UsedAllocation& element) {
  TANDEM_CHECK(listed.size() < allocations.size());
  const DXGK_ALLOCATIONLIST listing = ToListElement(element);
  given.push_back(listing);
  allocations[listed.size()] = listing;
  listed.push_back(element);
  if (element.allocation == nullptr) return;
  element.allocation->uses.fetch_add(1, std::memory_order_relaxed);
  used.push_back(element.allocation);
}

void Packet::GiveList() const { std::copy(given.begin(), given.end(), allocations.begin()); }

std::optional<UINT> Packet::FindChange() const {
  if (std::memcmp(given.data(), allocations.data(), given.size() * sizeof(DXGK_ALLOCATIONLIST)) == 0) return std::nullopt;
  const auto changed = std::mismatch(given.begin(), given.end(), allocations.begin(), &AreEqual).first;
  if (changed == given.end()) return std::nullopt;
  return static_cast<UINT>(changed - given.begin());
}

bool Packet::TryPin() {
  if (!TryPinAll(used)) return false;
  SetPinned();
  return true;
}

void Packet::SetPinned() {
  pinned = true;
  const std::uint64_t use = NextUse();
  for (std::size_t i = 0; i < listed.size(); ++i) {
    if (listed[i].allocation == nullptr) continue;
    listed[i].allocation->last_use.store(use, std::memory_order_relaxed);
    moved = moved || IsElsewhere(given[i], *listed[i].allocation);
    SetAddress(given[i], listed[i].allocation->placement.segment, listed[i].allocation->placement.address);
  }
}

bool Packet::SetGuards() {
  if (guarded || fence_page.empty()) return true;
  if (mprotect(fence_page.data(), fence_page.size(), PROT_NONE) != 0) return false;
  for (const std::span<std::byte> guard : guards) std::ranges::fill(guard, kGuardByte);
  guarded = true;
  return true;
}

void Packet::CheckGuards(Adapter& adapter) const {
  if (!guarded) return;
  static constexpr std::array kNames{"DMA buffer", "private data", "patch-location list"};
  const std::array sizes{dma.size(), private_data.size(), patches.size_bytes()};
  for (std::size_t i = 0; i < guards.size(); ++i) {
    // Each byte equals the first, and the one before it.
    const bool same = std::memcmp(guards[i].data(), guards[i].data() + 1, guards[i].size() - 1) == 0;
    if (same && guards[i].front() == kGuardByte) continue;
    const auto written = std::find_if(guards[i].begin(), guards[i].end(), [](std::byte byte) { return byte != kGuardByte; });
    if (written == guards[i].end()) continue;
    adapter.NoteOverrun(
        fmt::format("Byte {} behind a {} of {} bytes was written.", written - guards[i].begin(), kNames[i], sizes[i]));
  }
}

bool Packet::Reset() {
  bool unused = false;
  if (std::exchange(pinned, false)) UnpinAll(used);
  for (Allocation* allocation : used) unused |= allocation->EndUse();
  used.clear();
  listed.clear();
  given.clear();
  dma_begin = patch_begin = dma_used = private_data_used = patch_count = fence = 0;
  null_rendering = done = moved = false;
  flip = {};
  return unused;
}

DXGK_ALLOCATIONLIST ToListElement(const UsedAllocation& used) {
  DXGK_ALLOCATIONLIST element{};
  if (used.allocation == nullptr) return element;
  element.hDeviceSpecificAllocation = used.device_specific;
  element.WriteOperation = used.write ? 1u : 0u;
  // The scheduler fills in what is true when the packet is submitted.
  const ResidencyState::Guess guess = used.allocation->residency.guess();
  if (guess.segment != 0) SetAddress(element, guess.segment, guess.address);
  return element;
}

bool AreEqual(const DXGK_ALLOCATIONLIST& a, const DXGK_ALLOCATIONLIST& b) {
  return a.hDeviceSpecificAllocation == b.hDeviceSpecificAllocation && a.WriteOperation == b.WriteOperation &&
         a.SegmentId == b.SegmentId && a.Reserved == b.Reserved && a.PhysicalAddress.QuadPart == b.PhysicalAddress.QuadPart;
}

Result<std::unique_ptr<PacketPool>> PacketPool::Create(Adapter& adapter, const PacketSizes& sizes, std::uint32_t count) {
  const auto dma_bytes = RoundUpToPages(sizes.dma_bytes);
  if (!dma_bytes.ok()) return dma_bytes.error().Context("Making DMA buffers");
  const bool guarded = adapter.trial().guards_buffers;
  const std::size_t guard_bytes = guarded ? kGuardBytes : 0;
  // Behind the guard zone nothing can be read or written.
  const std::size_t dma_stride = *dma_bytes + 2 * guard_bytes;
  // Private data starts at a 16-byte boundary, for whatever struct the driver keeps there.
  const std::size_t private_bytes = ((std::size_t{sizes.private_data_bytes} + 15) & ~std::size_t{15}) + guard_bytes;
  const std::size_t guard_patches = guard_bytes / sizeof(D3DDDI_PATCHLOCATIONLIST);
  const std::size_t patches = sizes.patches + guard_patches;
  const std::size_t element_bytes = 2 * sizeof(DXGK_ALLOCATIONLIST) + sizeof(UsedAllocation) + sizeof(Allocation*);
  const std::size_t list_bytes = sizes.allocations * element_bytes + patches * sizeof(D3DDDI_PATCHLOCATIONLIST);
  auto dma = MemoryMap::CreateAnonymous(dma_stride * count);
  if (!dma.ok()) return std::move(dma).error().Context("Making DMA buffers");
  auto private_data = MemoryMap::CreateAnonymous(std::max<std::size_t>(1, private_bytes * count));
  if (!private_data.ok()) return std::move(private_data).error().Context("Making the private data of DMA buffers");
  // A driver may ask for thousands and use few; the rest of the pages are never touched.
  auto lists = MemoryMap::CreateAnonymous(std::max<std::size_t>(1, list_bytes * count));
  if (!lists.ok()) return std::move(lists).error().Context("Making the lists of DMA buffers");

  std::unique_ptr<PacketPool> pool(new PacketPool(adapter));
  pool->dma_ = std::make_shared<MemoryMap>(*std::move(dma));
  pool->private_data_ = std::make_shared<MemoryMap>(*std::move(private_data));
  pool->lists_ = *std::move(lists);
  std::span<std::byte> room = pool->lists_.bytes();
  const auto listed = TakeFront<UsedAllocation>(room, sizes.allocations * std::size_t{count});
  const auto given = TakeFront<DXGK_ALLOCATIONLIST>(room, sizes.allocations * std::size_t{count});
  const auto allocations = TakeFront<DXGK_ALLOCATIONLIST>(room, sizes.allocations * std::size_t{count});
  const auto used = TakeFront<Allocation*>(room, sizes.allocations * std::size_t{count});
  const auto all_patches = TakeFront<D3DDDI_PATCHLOCATIONLIST>(room, patches * count);
  pool->packets_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    Packet& packet = pool->packets_[i];
    const auto dma_place = pool->dma_->bytes().subspan(i * dma_stride, dma_stride);
    const auto private_place = pool->private_data_->bytes().subspan(i * private_bytes, private_bytes);
    const auto patch_place = all_patches.subspan(i * patches, patches);
    packet.dma = dma_place.first(sizes.dma_bytes);
    packet.private_data = private_place.first(sizes.private_data_bytes);
    packet.patches = patch_place.first(sizes.patches);
    packet.allocations = allocations.subspan(i * sizes.allocations, sizes.allocations);
    packet.listed = FixedList(listed.subspan(i * sizes.allocations, sizes.allocations));
    packet.given = FixedList(given.subspan(i * sizes.allocations, sizes.allocations));
    packet.used = FixedList(used.subspan(i * sizes.allocations, sizes.allocations));
    if (!guarded) continue;
    packet.guards = {dma_place.first(*dma_bytes + guard_bytes).subspan(sizes.dma_bytes),
                     private_place.subspan(sizes.private_data_bytes), std::as_writable_bytes(patch_place.subspan(sizes.patches))};
    packet.fence_page = dma_place.last(guard_bytes);
  }
  return pool;
}

PacketPool::~PacketPool() {
  if (adapter_.alive()) return;
  adapter_.KeepUntilStopped(std::move(dma_));
  adapter_.KeepUntilStopped(std::move(private_data_));
}

}  // namespace tandem::kernel
