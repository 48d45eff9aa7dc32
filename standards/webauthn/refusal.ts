// Why a ceremony is refused: a code for programs and the log. The person reads one sentence for all of them, because none of them is the person's to mend.

export const webauthnRefusals = [
  'unreadable',
  'type',
  'challenge',
  'origin',
  'crossOrigin',
  'rpId',
  'userPresence',
  'userVerification',
  'backupState',
  'algorithm',
  'format',
  'attestation',
  'signature',
] as const

export type WebauthnRefusal = (typeof webauthnRefusals)[number]

export class WebauthnError extends Error {
  override name = 'WebauthnError'
  readonly code: WebauthnRefusal
  constructor(code: WebauthnRefusal, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
