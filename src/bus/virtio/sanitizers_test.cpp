// Tells the sanitizers to ignore faults of libraries that are not instrumented: Mesa's OpenGL under virglrenderer.

extern "C" const char* __lsan_default_suppressions();   // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "leak:_dri.so\n"
         "leak:libgallium\n"
         "leak:libEGL_mesa\n"
         "leak:libLLVM\n";
}

// ThreadSanitizer sees these libraries' calls of malloc and pthread, but not their atomics and futexes.
extern "C" const char* __tsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier)
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_suppressions() {  // NOLINT
  return "race:_dri.so\n"
         "deadlock:_dri.so\n"
         "mutex:_dri.so\n"
         "race:libgallium\n"
         "deadlock:libgallium\n"
         "mutex:libgallium\n"
         "race:libEGL\n"
         "race:libvirglrenderer\n"
         "race:libLLVM\n";
}
