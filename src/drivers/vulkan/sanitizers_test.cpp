// What the sanitizers must know to find our faults among those of libraries that nobody instrumented.

// What the Vulkan loader unloads (a driver under test, the validation layer) leaves allocations behind whose module is gone:
// there is no name by which a suppression could tell them from ours. LeakSanitizer is off in this program; the address checks are
// not.
extern "C" int __lsan_is_turned_off();  // NOLINT: the sanitizers' names
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off() { return 1; }

// ThreadSanitizer does not see the atomics and futexes of these libraries, only their calls of malloc and pthread.
extern "C" const char* __tsan_default_suppressions();
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_suppressions() {
  return "race:libVkLayer_khronos_validation.so\n"
         "deadlock:libVkLayer_khronos_validation.so\n"
         "mutex:libVkLayer_khronos_validation.so\n"
         "race:libvulkan_lvp.so\n"
         "deadlock:libvulkan_lvp.so\n"
         "mutex:libvulkan_lvp.so\n"
         "race:libvk_swiftshader.so\n"
         "deadlock:libvk_swiftshader.so\n"
         "mutex:libvk_swiftshader.so\n"
         "race:libLLVM\n"
         "race:libxcb\n"
         "mutex:libxcb\n"
         "deadlock:libxcb\n";
}
