// For what secrets are sealed: each opens in its own row only.

export const authorityPurpose = (id: string): string => `acme account key ${id}`
export const eabPurpose = (id: string): string => `acme external account ${id}`
export const responderPurpose = (id: string): string => `dns responder ${id}`
export const orderKeyPurpose = (orderId: string): string => `acme order key ${orderId}`
