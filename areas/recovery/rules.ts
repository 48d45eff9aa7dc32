// How long links last, how often they are sent, and the states of a password reset.

export const linkMinutes = 30
/** A person gets no second mail within this time, however often somebody asks. */
export const pauseMilliseconds = 5 * 60_000

export type PasswordConfig = { shortest: number }

/** The state of a password reset, as the specification lists it. */
export type ResetState = {
  emailAddress: string
  resetToken: string
  /** Whether the link is good; undefined until it was validated. */
  isValid: boolean | undefined
  /** Whether the server took the password; undefined until it was sent. */
  isPasswordValid: boolean | undefined
  passwordConfig: PasswordConfig | undefined
  tenancy: string
  /** Of the last refusal; empty where there was none. */
  responseCode: string
  resetSuccessful: boolean
}

export const initialReset: ResetState = {
  emailAddress: '',
  resetToken: '',
  isValid: undefined,
  isPasswordValid: undefined,
  passwordConfig: undefined,
  tenancy: '',
  responseCode: '',
  resetSuccessful: false,
}

export type ResetAction =
  | { type: 'requested'; emailAddress: string }
  | { type: 'validated'; resetToken: string; tenancy: string; passwordConfig: PasswordConfig }
  | { type: 'succeeded' }
  | { type: 'failed'; responseCode: string }
  | { type: 'cleared' }

export function resetReducer(state: ResetState, action: ResetAction): ResetState {
  switch (action.type) {
    case 'requested':
      return { ...initialReset, emailAddress: action.emailAddress }
    case 'validated':
      return { ...state, resetToken: action.resetToken, tenancy: action.tenancy, passwordConfig: action.passwordConfig, isValid: true }
    case 'succeeded':
      return { ...state, isPasswordValid: true, resetSuccessful: true, responseCode: '' }
    case 'failed':
      return {
        ...state,
        responseCode: action.responseCode,
        ...(action.responseCode === 'linkUsed' ? { isValid: false } : {}),
        ...(action.responseCode === 'invalid' ? { isPasswordValid: false } : {}),
      }
    case 'cleared':
      return initialReset
  }
}
