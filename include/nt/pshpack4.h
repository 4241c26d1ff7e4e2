// Packs structures to 4 bytes until poppack.h. Included any number of times.
#pragma pack(push, 4)
