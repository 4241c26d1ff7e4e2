// Packs structures to 8 bytes until poppack.h. Included any number of times.
#pragma pack(push, 8)
