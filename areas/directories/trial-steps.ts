/** What a test of a directory does, in this order. Entra ID has the sign-in and the reading alone. */
export const trialSteps = ['connect', 'encrypt', 'signIn', 'base', 'filter'] as const
export type TrialStep = (typeof trialSteps)[number]
