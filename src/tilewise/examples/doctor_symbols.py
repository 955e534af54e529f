from tilewise.render.mangled import string_abi

for symbol in (
    "_ZN3c105ErrorC2ENS_14SourceLocationESs",
    "_ZN3c105ErrorC2ENS_14SourceLocationENSt7__cxx1112basic_stringIcEE",
    "_ZN3c104cuda9SetDeviceEi",
    "_ZN3c104cuda9SetDeviceEa",
):
    print(f"{string_abi(symbol) or 'no'} strings: {symbol}")
