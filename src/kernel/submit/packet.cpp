#include "kernel/submit/packet.h"

#include <algorithm>
#include <utility>

#include "kernel/memory/residency.h"

namespace tandem::kernel {
namespace {

// Of an allocation that is pinned.
void SetAddress(DXGK_ALLOCATIONLIST& element, const Allocation& allocation) {
  element.SegmentId = allocation.placement.segment & 31u;
  element.PhysicalAddress.QuadPart = static_cast<LONGLONG>(allocation.placement.address);
}

}  // namespace

PHYSICAL_ADDRESS Packet::DmaAddress() const {
  PHYSICAL_ADDRESS address{};
  address.QuadPart = static_cast<LONGLONG>(reinterpret_cast<std::uintptr_t>(dma.data()));
  return address;
}

void Packet::List(const UsedAllocation& element) {
  TANDEM_CHECK(listed.size() < allocations.size());
  given.push_back(ToListElement(element));
  allocations[listed.size()] = given.back();
  listed.push_back(element);
  if (element.allocation == nullptr) return;
  element.allocation->uses.fetch_add(1, std::memory_order_relaxed);
  used.push_back(element.allocation);
}

void Packet::GiveList() const { std::copy(given.begin(), given.end(), allocations.begin()); }

std::optional<UINT> Packet::FindChange() const {
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
    SetAddress(given[i], *listed[i].allocation);
  }
}

bool Packet::Reset() {
  bool unused = false;
  if (std::exchange(pinned, false)) UnpinAll(used);
  for (Allocation* allocation : used) unused |= allocation->uses.fetch_sub(1, std::memory_order_acq_rel) == 1;
  used.clear();
  listed.clear();
  given.clear();
  dma_begin = patch_begin = dma_used = private_data_used = patch_count = fence = 0;
  null_rendering = done = false;
  flip = {};
  return unused;
}

DXGK_ALLOCATIONLIST ToListElement(const UsedAllocation& used) {
  DXGK_ALLOCATIONLIST element{};
  if (used.allocation == nullptr) return element;
  element.hDeviceSpecificAllocation = used.device_specific;
  element.WriteOperation = used.write ? 1u : 0u;
  // Nothing is known of the address of what is not resident now; the scheduler fills in what is true when the packet is
  // submitted.
  if (!used.allocation->residency.TryPin()) return element;
  SetAddress(element, *used.allocation);
  used.allocation->residency.Unpin();
  return element;
}

bool AreEqual(const DXGK_ALLOCATIONLIST& a, const DXGK_ALLOCATIONLIST& b) {
  return a.hDeviceSpecificAllocation == b.hDeviceSpecificAllocation && a.WriteOperation == b.WriteOperation &&
         a.SegmentId == b.SegmentId && a.Reserved == b.Reserved && a.PhysicalAddress.QuadPart == b.PhysicalAddress.QuadPart;
}

Result<std::unique_ptr<PacketPool>> PacketPool::Create(Adapter& adapter, const PacketSizes& sizes, std::uint32_t count) {
  const auto dma_bytes = RoundUpToPages(sizes.dma_bytes);
  if (!dma_bytes.ok()) return dma_bytes.error().Context("Making DMA buffers");
  auto dma = MemoryMap::CreateAnonymous(*dma_bytes * count);
  if (!dma.ok()) return std::move(dma).error().Context("Making DMA buffers");

  std::unique_ptr<PacketPool> pool(new PacketPool(adapter));
  pool->dma_ = std::make_shared<MemoryMap>(*std::move(dma));
  // Private data starts at a 16-byte boundary, for whatever struct the driver keeps there.
  const std::size_t private_bytes = (std::size_t{sizes.private_data_bytes} + 15) & ~std::size_t{15};
  pool->private_data_ = std::make_shared<std::vector<std::byte>>(private_bytes * count);
  pool->allocations_.resize(std::size_t{sizes.allocations} * count);
  pool->patches_.resize(std::size_t{sizes.patches} * count);
  pool->packets_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    Packet& packet = pool->packets_[i];
    packet.dma = pool->dma_->bytes().subspan(i * *dma_bytes, sizes.dma_bytes);
    packet.private_data = std::span(*pool->private_data_).subspan(i * private_bytes, sizes.private_data_bytes);
    packet.allocations = std::span(pool->allocations_).subspan(i * sizes.allocations, sizes.allocations);
    packet.patches = std::span(pool->patches_).subspan(i * sizes.patches, sizes.patches);
    packet.listed.reserve(sizes.allocations);
    packet.given.reserve(sizes.allocations);
    packet.used.reserve(sizes.allocations);
  }
  return pool;
}

PacketPool::~PacketPool() {
  if (adapter_.alive()) return;
  adapter_.KeepUntilStopped(std::move(dma_));
  adapter_.KeepUntilStopped(std::move(private_data_));
}

}  // namespace tandem::kernel
