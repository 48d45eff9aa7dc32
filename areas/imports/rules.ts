/** Characters of one upload. It is read while everybody else waits, so it is less than a file may have elsewhere. */
export const largestUpload = 2_000_000
export const mostCertificates = 500

/** new: it will be added. known: uploaded before. ours: one of our authorities issued it, and it stands in the inventory as that. */
export const uploadStates = ['new', 'known', 'ours'] as const
export type UploadState = (typeof uploadStates)[number]
