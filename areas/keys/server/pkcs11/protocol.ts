// What the server and the process that holds a PKCS#11 module say to each other. Bytes travel as they are (structured clone).

export type TokenSeen = { label: string; manufacturer: string; model: string; serial: string; flags: number; mechanisms: MechanismSeen[] }
/** Sizes are those of CK_MECHANISM_INFO: bits for RSA and for curves. */
export type MechanismSeen = { type: number; smallest: number; largest: number }

/** The public half of a key pair on a token, as its attributes say it. */
export type PublicParts = { keyType: number; modulus: Uint8Array; exponent: Uint8Array; parameters: Uint8Array; point: Uint8Array }
export type KeySeen = PublicParts & { objectId: Uint8Array; label: string }

export type KeySpecification =
  | { kind: 'rsa'; bits: number; mechanism: number }
  | { kind: 'curve'; parameters: Uint8Array; mechanism: number }

export type Tasks = {
  /** Every token that is there, without logging in. */
  tokens: { asks: object; answers: TokenSeen[] }
  /** Finds the token and logs in. Everything below comes after it. */
  open: { asks: { label: string; serial: string; pin: string }; answers: TokenSeen }
  keys: { asks: object; answers: KeySeen[] }
  generate: { asks: { specification: KeySpecification; label: string; objectId: Uint8Array }; answers: PublicParts }
  destroy: { asks: { objectId: Uint8Array }; answers: undefined }
  sign: { asks: { objectId: Uint8Array; mechanism: number; parameter: number[]; data: Uint8Array }; answers: Uint8Array }
}
export type TaskName = keyof Tasks

export type Asked = { [name in TaskName]: { number: number; task: name; input: Tasks[name]['asks'] } }[TaskName]

/** `result` is the name of a CKR value, or one of our own below. */
export type Failure = { result: string; call: string; message: string }
export type Answered = { number: number; value: unknown } | { number: number; failure: Failure }

/** What goes wrong before the module is asked, beside the names of CKR values. */
export const ownResults = {
  cannotLoad: 'MODULE_CANNOT_LOAD',
  tokenAbsent: 'TOKEN_ABSENT',
  finalTry: 'PIN_FINAL_TRY',
  pinLocked: 'PIN_LOCKED',
  keyAbsent: 'KEY_ABSENT',
} as const
