// Tells the sanitizers to ignore faults of libraries that are not instrumented.

// The Vulkan loader unloads modules (a driver under test, the validation layer) that leave allocations behind. A suppression
// cannot tell them from ours, because the module's name is gone. LeakSanitizer is therefore off in this program; the address
// checks are not.
extern "C" int __lsan_is_turned_off();  // NOLINT: the sanitizers' names
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off() { return 1; }

// ThreadSanitizer sees these libraries' calls of malloc and pthread, but not their atomics and futexes.
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
