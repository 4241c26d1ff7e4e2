// A layer's library of another version of Tandem; no loader calls it.
extern "C" __attribute__((visibility("default"))) int vkNegotiateLoaderLayerInterfaceVersion(void* /*versions*/) { return -3; }
extern "C" __attribute__((visibility("default"))) const char* tandemVersion() { return "0.0.9"; }
