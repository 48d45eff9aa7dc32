// RSA moduli and exponents that give the private key away, or are none. All of checkRsa costs half a millisecond for 4096 bits.
import { checkPrimeSync, createHash } from 'node:crypto'
import type { KeyFinding } from './key-finding.ts'
import type { PublicKeyInfo } from './public-key-info.ts'

const RSA_MINIMUM_BITS = 2048
/** Beyond this a verification costs whole milliseconds, and no client is known to need it. */
const RSA_MAXIMUM_BITS = 8192

export function numberOf(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`)
}

/** One round of Miller and Rabin: a composite passes for a prime with a chance far below 2^-80 unless it was made to, and then it is no good either. */
export function isPrimeModulus(modulus: Uint8Array): boolean {
  if (modulus.length <= 256) return checkPrimeSync(modulus, { checks: 1 })
  // OpenSSL makes 128 rounds of a longer one that is a prime, however few it is asked for: 2.4 s for 4096 bits. One round of Fermat takes 80 ms.
  const number = numberOf(modulus)
  let power = 1n
  for (const bit of (number - 1n).toString(2)) power = (bit === '1' ? power * power * 2n : power * power) % number
  return power === 1n
}

/** isPrimeModulus, where it may have been said before: by rememberPrimality, or here. */
export function isKnownPrime(modulus: Uint8Array): boolean {
  if (modulus.length <= 256) return isPrimeModulus(modulus)
  const known = primality.get(nameOf(modulus))
  return known ?? rememberPrimality(modulus, isPrimeModulus(modulus))
}

/** The modulus of a key for which isPrimeModulus takes long, and is not known yet. */
export function largeModulus({ modulus, bits }: PublicKeyInfo): Uint8Array | undefined {
  return modulus === undefined || modulus.length <= 256 || bits > PRIMALITY_MAXIMUM_BITS || primality.has(nameOf(modulus))
    ? undefined
    : modulus
}

export function rememberPrimality(modulus: Uint8Array, prime: boolean): boolean {
  const [oldest] = primality.keys()
  if (primality.size >= MOST_REMEMBERED && oldest !== undefined) primality.delete(oldest)
  primality.set(nameOf(modulus), prime)
  return prime
}
const nameOf = (modulus: Uint8Array): string => createHash('sha256').update(modulus).digest('base64')
const MOST_REMEMBERED = 1_000
const primality = new Map<string, boolean>()
/** Longer moduli are not tried. */
export const PRIMALITY_MAXIMUM_BITS = 4096

export function checkRsa({ modulus, exponent, bits }: PublicKeyInfo): KeyFinding[] {
  if (modulus === undefined || exponent === undefined) return []
  const findings: KeyFinding[] = []
  const add = (code: KeyFinding['code'], severity: KeyFinding['severity'], message: string): void => {
    findings.push({ code, severity, message })
  }
  if ((exponent & 1n) === 0n) add('rsaExponentEven', 'error', 'The RSA exponent is even.')
  else if (exponent < 3n) add('rsaExponentSmall', 'error', 'The RSA exponent is 1, which signs and encrypts nothing.')
  else if (exponent < 65_537n) add('rsaExponentSmall', 'warn', `The RSA exponent is ${exponent}; 65537 is the least in use.`)
  if (exponent >= 1n << 256n) add('rsaExponentLarge', 'error', 'The RSA exponent has more than 256 bits.')
  if (bits < RSA_MINIMUM_BITS) add('rsaTooShort', 'error', `The RSA key has ${bits} bits; at least ${RSA_MINIMUM_BITS} are required.`)
  if (bits > RSA_MAXIMUM_BITS) {
    add('rsaTooLong', 'error', `The RSA key has ${bits} bits; at most ${RSA_MAXIMUM_BITS} are accepted.`)
    return findings
  }
  const n = numberOf(modulus)
  if ((n & 1n) === 0n) add('rsaModulusEven', 'error', 'The RSA modulus is even.')
  else if (greatestCommonDivisor(SMALL_PRIMES_PRODUCT, n % SMALL_PRIMES_PRODUCT) !== 1n) {
    add('rsaSmallFactor', 'error', 'The RSA modulus has a factor below 752.')
  } else {
    if (hasRocaFingerprint(n)) add('rsaRoca', 'error', 'The RSA key has the ROCA flaw (CVE-2017-15361): its private key can be computed.')
    if (isSquare(n)) add('rsaModulusSquare', 'error', 'The RSA modulus is the square of one number: anyone can compute the private key.')
    else if (hasClosePrimes(n))
      add('rsaClosePrimes', 'error', 'The primes of the RSA key are so close that anyone can find them (CVE-2022-26320).')
  }
  return findings
}

const SMALL_PRIMES = primesBelow(752)
const SMALL_PRIMES_PRODUCT = SMALL_PRIMES.filter((prime) => prime > 2).reduce((product, prime) => product * BigInt(prime), 1n)

function primesBelow(limit: number): number[] {
  const primes: number[] = []
  for (let number = 2; number < limit; number += 1) {
    if (primes.every((prime) => number % prime !== 0)) primes.push(number)
  }
  return primes
}

export function greatestCommonDivisor(left: bigint, right: bigint): bigint {
  let [a, b] = [left, right]
  while (b !== 0n) [a, b] = [b, a % b]
  return a
}

// Infineon's library made primes k*M + (65537^a mod M), M a product of small primes. Such a modulus is a power of 65537
// modulo each of them; a random one passes all of these primes with a chance of about 2^-27.
const ROCA_RESIDUES = SMALL_PRIMES.filter((prime) => prime >= 3 && prime <= 167).map((prime) => {
  const powers = new Set<number>()
  for (let power = 1; !powers.has(power); power = (power * 65_537) % prime) powers.add(power)
  return { prime: BigInt(prime), powers }
})

function hasRocaFingerprint(n: bigint): boolean {
  return ROCA_RESIDUES.every(({ prime, powers }) => powers.has(Number(n % prime)))
}

/** Fermat's method for 100 rounds, as the CA/Browser Forum's Baseline Requirements 6.1.1.3 ask. */
function hasClosePrimes(n: bigint): boolean {
  let a = squareRoot(n)
  if (a * a < n) a += 1n
  let rest = a * a - n
  for (let round = 0; round < 100; round += 1) {
    // Fewer than one number in a hundred passes as a square by these residues: most rounds end here without a root.
    if (SQUARES_MOD_64.has(Number(rest & 63n)) && SQUARES_MOD_45045.has(Number(rest % 45_045n))) {
      const b = squareRoot(rest)
      if (b * b === rest) return true
    }
    rest += 2n * a + 1n
    a += 1n
  }
  return false
}
const SQUARES_MOD_64 = squaresModulo(64)
const SQUARES_MOD_45045 = squaresModulo(45_045)

function squaresModulo(modulus: number): Set<number> {
  return new Set(Array.from({ length: modulus }, (_, root) => (root * root) % modulus))
}

function isSquare(n: bigint): boolean {
  return SQUARES_MOD_64.has(Number(n & 63n)) && SQUARES_MOD_45045.has(Number(n % 45_045n)) && squareRoot(n) ** 2n === n
}

function squareRoot(n: bigint): bigint {
  if (n < 2n) return n
  let root = 1n << BigInt(Math.ceil(n.toString(16).length * 2))
  for (;;) {
    const next = (root + n / root) >> 1n
    if (next >= root) return root
    root = next
  }
}
