// The numbers by which states register businesses, and their check digits. Pure: the form checks while one types, the server when it stores.

type Judged = { valid: boolean; normalised: string; error?: string }

const digitsOf = (text: string): number[] => [...text].map(Number)
const weighted = (text: string, weights: readonly number[]): number =>
  digitsOf(text).reduce((sum, digit, at) => sum + digit * (weights[at] ?? 0), 0)

/** Of Luhn (ISO/IEC 7812-1, annex B). */
const fitsLuhn = (text: string): boolean =>
  digitsOf(text)
    .toReversed()
    .reduce((sum, digit, at) => sum + (at % 2 === 0 ? digit : digit * 2 > 9 ? digit * 2 - 9 : digit * 2), 0) %
    10 ===
  0

/** Of the Australian Business Register: one less in the first digit, and the weighted sum is a multiple of 89. */
const fitsAbn = (text: string): boolean => (weighted(text, [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]) - 10) % 89 === 0

/** Of ASIC's company numbers: the ninth digit makes the weighted sum a multiple of ten. */
const fitsAcn = (text: string): boolean => weighted(text, [8, 7, 6, 5, 4, 3, 2, 1, 1]) % 10 === 0

/** Of GS1's 13 digits, which New Zealand uses. */
const fitsGs1 = (text: string): boolean => weighted(text, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0

/** Of ISO/IEC 7064, MOD 11,10, which Germany uses for the VAT number. */
function fitsMod1110(text: string): boolean {
  let product = 10
  for (const digit of digitsOf(text.slice(0, -1))) {
    const sum = (digit + product) % 10
    product = ((sum === 0 ? 10 : sum) * 2) % 11
  }
  return (11 - product) % 10 === Number(text.at(-1))
}

/** Of the Swiss enterprise number: eight weighted digits and the ninth are a multiple of 11. */
const fitsUid = (text: string): boolean => weighted(text, [5, 4, 3, 2, 7, 6, 5, 4, 1]) % 11 === 0

type Kind = { fits: RegExp; checks?: (digits: string) => boolean; shown?: (text: string) => string }
type Country = { form: string; kinds: readonly Kind[]; strip?: RegExp }

const grouped = (text: string, ...sizes: number[]): string => {
  let from = 0
  return sizes.map((size) => text.slice(from, (from += size))).join(' ')
}

/** The countries whose numbers are checked. What is of another is kept as it was typed. */
const countries: Readonly<Record<string, Country>> = {
  AU: {
    form: 'An Australian business number has 11 digits, a company number 9',
    kinds: [
      { fits: /^\d{11}$/, checks: fitsAbn, shown: (text) => grouped(text, 2, 3, 3, 3) },
      { fits: /^\d{9}$/, checks: fitsAcn, shown: (text) => grouped(text, 3, 3, 3) },
    ],
  },
  CA: { form: 'A Canadian business number has 9 digits', kinds: [{ fits: /^\d{9}$/, checks: fitsLuhn }] },
  CH: {
    form: 'A Swiss enterprise number is CHE and 9 digits',
    strip: /^CHE/,
    kinds: [{ fits: /^\d{9}$/, checks: fitsUid, shown: (text) => `CHE-${grouped(text, 3, 3, 3).replaceAll(' ', '.')}` }],
  },
  DE: {
    form: 'A German VAT number is DE and 9 digits',
    strip: /^DE/,
    kinds: [{ fits: /^\d{9}$/, checks: fitsMod1110, shown: (text) => `DE${text}` }],
  },
  FR: {
    form: 'A French SIREN has 9 digits, a SIRET 14',
    kinds: [
      { fits: /^\d{9}$/, checks: fitsLuhn, shown: (text) => grouped(text, 3, 3, 3) },
      { fits: /^\d{14}$/, checks: fitsLuhn, shown: (text) => grouped(text, 3, 3, 3, 5) },
    ],
  },
  GB: { form: 'A British company number has 8 characters', kinds: [{ fits: /^(?:\d{8}|[A-Z]{2}\d{6})$/ }] },
  NZ: { form: 'A New Zealand business number has 13 digits', kinds: [{ fits: /^\d{13}$/, checks: fitsGs1 }] },
  US: {
    form: 'An employer identification number has 9 digits',
    kinds: [{ fits: /^\d{9}$/, shown: (text) => grouped(text, 2, 7).replace(' ', '-') }],
  },
}

const wrongDigits = 'The check digits do not fit: one of the digits is wrong'

/** Judges a number of a country. An empty one is none, which is good; one of a country that is not known here is any text. */
export function checkBusinessNumber(number: string, country: string): Judged {
  const typed = number.trim()
  const known = countries[country]
  if (typed === '' || known === undefined) return { valid: true, normalised: typed }
  const plain = typed
    .toUpperCase()
    .replaceAll(/[\s.-]/g, '')
    .replace(known.strip ?? /^$/, '')
  const kind = known.kinds.find(({ fits }) => fits.test(plain))
  if (kind === undefined) return { valid: false, normalised: typed, error: known.form }
  if (kind.checks?.(plain) === false) return { valid: false, normalised: typed, error: wrongDigits }
  return { valid: true, normalised: kind.shown?.(plain) ?? plain }
}

/** Every text that a check answers, for the console's list of texts. */
export const numberFaults: readonly string[] = [wrongDigits, ...Object.values(countries).map(({ form }) => form)]
