// Ends the packing that the last pshpackN.h began. Included any number of times.
#pragma pack(pop)
