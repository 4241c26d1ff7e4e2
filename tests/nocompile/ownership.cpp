#include "base/memory_map.h"
#include "base/unique_fd.h"

tandem::UniqueFd Move(tandem::UniqueFd fd) { return fd; }

#ifdef NOCOMPILE_CopyingADescriptor  // expect: deleted
tandem::UniqueFd Copy(const tandem::UniqueFd& fd) { return fd; }
#endif

#ifdef NOCOMPILE_TakingARawDescriptorUnsaid  // expect: could not convert|no viable conversion|no matching function
tandem::UniqueFd Raw() { return Move(3); }
#endif

#ifdef NOCOMPILE_CopyingAMapping  // expect: deleted
tandem::MemoryMap CopyMap(const tandem::MemoryMap& map) { return map; }
#endif
