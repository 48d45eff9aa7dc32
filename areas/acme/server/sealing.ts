/** For what the MAC of an external account is sealed: it opens in its own row only. */
export const sealingPurpose = (eabId: string): string => `acme eab ${eabId}`
