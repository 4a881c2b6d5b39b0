"""Names of countries, states and provinces that records give as two letters: "CA" is California."""

_COUNTRIES = (
    "AD Andorra;AE United Arab Emirates;AF Afghanistan;AG Antigua and Barbuda;AL Albania;"
    "AM Armenia;AO Angola;AR Argentina;AT Austria;AU Australia;AZ Azerbaijan;"
    "BA Bosnia and Herzegovina;BB Barbados;BD Bangladesh;BE Belgium;BF Burkina Faso;BG Bulgaria;"
    "BH Bahrain;BI Burundi;BJ Benin;BN Brunei;BO Bolivia;BR Brazil;BS Bahamas;BT Bhutan;"
    "BW Botswana;BY Belarus;BZ Belize;CA Canada;CD Democratic Republic of the Congo;"
    "CF Central African Republic;CG Congo;CH Switzerland;CI Ivory Coast;CL Chile;CM Cameroon;"
    "CN China;CO Colombia;CR Costa Rica;CU Cuba;CV Cape Verde;CY Cyprus;CZ Czech Republic;"
    "DE Germany;DJ Djibouti;DK Denmark;DM Dominica;DO Dominican Republic;DZ Algeria;EC Ecuador;"
    "EE Estonia;EG Egypt;ER Eritrea;ES Spain;ET Ethiopia;FI Finland;FJ Fiji;FM Micronesia;"
    "FR France;GA Gabon;GB United Kingdom;GD Grenada;GE Georgia;GH Ghana;GL Greenland;GM Gambia;"
    "GN Guinea;GQ Equatorial Guinea;GR Greece;GT Guatemala;GW Guinea-Bissau;GY Guyana;"
    "HK Hong Kong;HN Honduras;HR Croatia;HT Haiti;HU Hungary;ID Indonesia;IE Ireland;IL Israel;"
    "IN India;IQ Iraq;IR Iran;IS Iceland;IT Italy;JM Jamaica;JO Jordan;JP Japan;KE Kenya;"
    "KG Kyrgyzstan;KH Cambodia;KI Kiribati;KM Comoros;KN Saint Kitts and Nevis;KP North Korea;"
    "KR South Korea;KW Kuwait;KZ Kazakhstan;LA Laos;LB Lebanon;LC Saint Lucia;LI Liechtenstein;"
    "LK Sri Lanka;LR Liberia;LS Lesotho;LT Lithuania;LU Luxembourg;LV Latvia;LY Libya;MA Morocco;"
    "MC Monaco;MD Moldova;ME Montenegro;MG Madagascar;MH Marshall Islands;MK North Macedonia;"
    "ML Mali;MM Myanmar;MN Mongolia;MO Macau;MR Mauritania;MT Malta;MU Mauritius;MV Maldives;"
    "MW Malawi;MX Mexico;MY Malaysia;MZ Mozambique;NA Namibia;NE Niger;NG Nigeria;NI Nicaragua;"
    "NL Netherlands;NO Norway;NP Nepal;NR Nauru;NZ New Zealand;OM Oman;PA Panama;PE Peru;"
    "PG Papua New Guinea;PH Philippines;PK Pakistan;PL Poland;PR Puerto Rico;PS Palestine;"
    "PT Portugal;PW Palau;PY Paraguay;QA Qatar;RO Romania;RS Serbia;RU Russia;RW Rwanda;"
    "SA Saudi Arabia;SB Solomon Islands;SC Seychelles;SD Sudan;SE Sweden;SG Singapore;SI Slovenia;"
    "SK Slovakia;SL Sierra Leone;SM San Marino;SN Senegal;SO Somalia;SR Suriname;SS South Sudan;"
    "ST São Tomé and Príncipe;SV El Salvador;SY Syria;SZ Eswatini;TD Chad;TG Togo;TH Thailand;"
    "TJ Tajikistan;TL East Timor;TM Turkmenistan;TN Tunisia;TO Tonga;TR Turkey;"
    "TT Trinidad and Tobago;TV Tuvalu;TW Taiwan;TZ Tanzania;UA Ukraine;UG Uganda;"
    "UK United Kingdom;US United States;UY Uruguay;UZ Uzbekistan;VA Vatican City;"
    "VC Saint Vincent and the Grenadines;VE Venezuela;VN Vietnam;VU Vanuatu;WS Samoa;XK Kosovo;"
    "YE Yemen;ZA South Africa;ZM Zambia;ZW Zimbabwe"
)
_STATES = (
    "AK Alaska;AL Alabama;AR Arkansas;AZ Arizona;CA California;CO Colorado;CT Connecticut;"
    "DC District of Columbia;DE Delaware;FL Florida;GA Georgia;HI Hawaii;IA Iowa;ID Idaho;"
    "IL Illinois;IN Indiana;KS Kansas;KY Kentucky;LA Louisiana;MA Massachusetts;MD Maryland;"
    "ME Maine;MI Michigan;MN Minnesota;MO Missouri;MS Mississippi;MT Montana;NC North Carolina;"
    "ND North Dakota;NE Nebraska;NH New Hampshire;NJ New Jersey;NM New Mexico;NV Nevada;"
    "NY New York;OH Ohio;OK Oklahoma;OR Oregon;PA Pennsylvania;RI Rhode Island;SC South Carolina;"
    "SD South Dakota;TN Tennessee;TX Texas;UT Utah;VA Virginia;VT Vermont;WA Washington;"
    "WI Wisconsin;WV West Virginia;WY Wyoming;AB Alberta;BC British Columbia;MB Manitoba;"
    "NB New Brunswick;NL Newfoundland and Labrador;NS Nova Scotia;ON Ontario;"
    "PE Prince Edward Island;QC Quebec;SK Saskatchewan"
)
_BY_KEY = {
    key: {entry[:2]: entry[3:] for entry in entries.split(";")}
    for keys, entries in (("country nation", _COUNTRIES), ("state province", _STATES))
    for key in keys.split()
}


def region(code: str, key: str) -> str:
    """The name of a country or of a state of North America; "" where a key names neither.

    Args:
        code: Two capital letters.
        key: What the record calls it, in words, the last ones telling: "address state code".
    """
    last = key.lower().removesuffix(" code").rpartition(" ")[2]
    return _BY_KEY.get(last, {}).get(code, "")
