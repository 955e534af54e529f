from tilewise.render.mangled import string_abi

STRING = "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
for symbol in (
    "_ZN3c105ErrorC2ENS_14SourceLocationESs",
    f"_ZN3c105ErrorC2ENS_14SourceLocationE{STRING}",
    "_ZN3c104cuda9SetDeviceEi",
    "_ZN3c104cuda9SetDeviceEa",
):
    print(f"{string_abi(symbol) or 'no'} strings: {symbol}")
