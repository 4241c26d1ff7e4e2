// LeakSanitizer's switch for this test program.

// What the Vulkan loader unloads (a driver under test, the validation layer) leaves allocations behind whose module is gone: there is
// no name by which a suppression could tell them from ours. The driver's own memory is still checked for every other error.
extern "C" int __lsan_is_turned_off();  // NOLINT: the sanitizer's name
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off() { return 1; }
