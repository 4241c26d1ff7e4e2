// Packs structures to 2 bytes until poppack.h. Included any number of times.
#pragma pack(push, 2)
