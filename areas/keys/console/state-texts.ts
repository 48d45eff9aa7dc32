import type { TokenState } from '../tokens.ts'

/** Of each state: what it is in a word or two, and what a person does about it. */
export const stateTexts: Record<TokenState, { short: string; advice: string }> = {
  available: { short: 'Available', advice: '' },
  unchecked: { short: 'Not checked yet', advice: '' },
  tokenAbsent: {
    short: 'Not there',
    advice: 'Put the token back, or start its service. It is found again within a minute, and what waits is signed then.',
  },
  pinRefused: {
    short: 'PIN refused',
    advice: 'The PIN was changed on the token. Give the new one under Edit token; the old one is not tried again.',
  },
  pinLocked: { short: 'PIN locked', advice: "Unlock the PIN with the maker's tool, then give the new one under Edit token." },
  pinFinalTry: {
    short: 'One try left',
    advice: "One more wrong PIN locks the token, so none is tried. Log in once with the maker's tool, then give the PIN under Edit token.",
  },
  sessionLost: { short: 'Connection lost', advice: 'It is tried again by itself. If this stays, look at the token and its service.' },
  moduleMissing: {
    short: 'Module missing',
    advice: 'The PKCS#11 module cannot be loaded. Whoever runs the server looks at CHANCERY_PKCS11_MODULES and at the file.',
  },
  moduleFailed: {
    short: 'Module crashed',
    advice: 'The PKCS#11 module ends by itself. It is started again each time; its maker may know why.',
  },
  noAnswer: { short: 'No answer', advice: 'The token does not answer in time. It is tried again by itself.' },
  keyAbsent: {
    short: 'Key missing',
    advice: 'The token is there, but a key that is in use is not on it. Restore it from the backup of the token.',
  },
  tokenRefused: { short: 'Refused to sign', advice: "The token answers and does not sign. Its maker's log says why." },
}
