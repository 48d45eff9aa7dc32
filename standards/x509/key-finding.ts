/** What is wrong with a public key. */
export interface KeyFinding {
  code:
    | 'rsaTooShort'
    | 'rsaTooLong'
    | 'rsaModulusEven'
    | 'rsaModulusPrime'
    | 'rsaModulusSquare'
    | 'rsaSmallFactor'
    | 'rsaSharedFactor'
    | 'rsaExponentEven'
    | 'rsaExponentSmall'
    | 'rsaExponentLarge'
    | 'rsaRoca'
    | 'rsaClosePrimes'
    | 'curveUnknown'
    | 'curveWeak'
    | 'pointInvalid'
    | 'pointCompressed'
    | 'keySmallOrder'
    | 'keyNotCanonical'
    | 'keyInvalid'
    | 'algorithmUnknown'
  severity: 'warn' | 'error'
  message: string
}
