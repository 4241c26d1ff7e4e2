// Packs structures to 1 byte until poppack.h. Included any number of times.
#pragma pack(push, 1)
