/** What the sealed place of an archived key is for, so that it opens in its own row only. */
export const archivePurpose = (tenantId: string, archivedKeyId: string) => `archived-key:${tenantId}:${archivedKeyId}`
