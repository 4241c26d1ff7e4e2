#include "bus/resource_list.h"

#include <cstddef>

namespace tandem::bus {
namespace {

constexpr ULONG kLineVector = 0x50;  // of the processor

// The list has room for one descriptor.
std::size_t WordsOf(std::size_t descriptors) {
  const std::size_t bytes = sizeof(CM_RESOURCE_LIST) + descriptors * sizeof(CM_PARTIAL_RESOURCE_DESCRIPTOR);
  return bytes / sizeof(std::uint64_t) + 1;
}

}  // namespace

ResourceList::ResourceList(std::span<const AssignedBar> bars) : words_(WordsOf(0)) {
  get()->Count = 1;
  get()->List[0].InterfaceType = PCIBus;
  get()->List[0].PartialResourceList.Version = get()->List[0].PartialResourceList.Revision = 1;
  for (const AssignedBar& bar : bars) {
    CM_PARTIAL_RESOURCE_DESCRIPTOR& range =
        bar.ports
            ? Add(CmResourceTypePort, CmResourceShareDeviceExclusive, CM_RESOURCE_PORT_IO | CM_RESOURCE_PORT_BAR)
            : Add(CmResourceTypeMemory, CmResourceShareDeviceExclusive, CM_RESOURCE_MEMORY_READ_WRITE | CM_RESOURCE_MEMORY_BAR);
    // u.Port has the same members.
    range.u.Memory.Start.QuadPart = static_cast<LONGLONG>(bar.address);
    range.u.Memory.Length = bar.bytes;
  }
}

void ResourceList::AddLine() {
  CM_PARTIAL_RESOURCE_DESCRIPTOR& line =
      Add(CmResourceTypeInterrupt, CmResourceShareShared, CM_RESOURCE_INTERRUPT_LEVEL_SENSITIVE);
  line.u.Interrupt.Level = DIRQL;
  line.u.Interrupt.Vector = kLineVector;
  line.u.Interrupt.Affinity = 1;
}

void ResourceList::AddMessages(std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    CM_PARTIAL_RESOURCE_DESCRIPTOR& message = Add(CmResourceTypeInterrupt, CmResourceShareDeviceExclusive,
                                                  CM_RESOURCE_INTERRUPT_LATCHED | CM_RESOURCE_INTERRUPT_MESSAGE);
    message.u.MessageInterrupt.Translated.Level = DIRQL;
    message.u.MessageInterrupt.Translated.Vector = i;
    message.u.MessageInterrupt.Translated.Affinity = 1;
  }
}

CM_PARTIAL_RESOURCE_DESCRIPTOR& ResourceList::Add(std::uint8_t type, std::uint8_t share, std::uint16_t flags) {
  const std::uint32_t count = get()->List[0].PartialResourceList.Count;
  words_.resize(WordsOf(count + 1));
  CM_PARTIAL_RESOURCE_LIST& list = get()->List[0].PartialResourceList;
  list.Count = count + 1;
  CM_PARTIAL_RESOURCE_DESCRIPTOR& added = list.PartialDescriptors[count];
  added.Type = type;
  added.ShareDisposition = share;
  added.Flags = flags;
  return added;
}

}  // namespace tandem::bus
