// What people call the browser and the system of a session, from what the browser says of itself. It proves nothing: it is for recognising one's own.

const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\/|\bEdgiOS\//, 'Edge'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bOPR\//, 'Opera'],
  [/\bChrom(?:e|ium)\/|\bCriOS\/|\bHeadlessChrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMacintosh\b|\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

const firstOf = (names: readonly (readonly [RegExp, string])[], text: string): string | undefined =>
  names.find(([pattern]) => pattern.test(text))?.[1]

/** Undefined where nothing is recognised. */
export const deviceNameOf = (userAgent: string): { browser: string | undefined; system: string | undefined } => ({
  browser: firstOf(browsers, userAgent),
  system: firstOf(systems, userAgent),
})

/** A telephone or a tablet, for the picture beside it. */
export const isHandheld = (system: string | undefined): boolean => system === 'iPhone' || system === 'iPad' || system === 'Android'
