// The headers in the modes in which drivers of Windows are compiled elsewhere; parsed by clang, not built.
#include <d3dkmthk.h>
#include <d3dumddi.h>
#include <dispmprt.h>

#if __SIZEOF_WCHAR_T__ == 2
static const WCHAR kLiteral[] = L"a wide literal fits";
static PCWSTR Text() { return kLiteral; }
int main() { return Text()[0]; }
#endif
