// The numbers of PKCS#11 (OASIS v3.1, pkcs11t.h) that are used here, by their names there.

export const functionOrder = [
  'C_Initialize', 'C_Finalize', 'C_GetInfo', 'C_GetFunctionList', 'C_GetSlotList', 'C_GetSlotInfo', 'C_GetTokenInfo', 'C_GetMechanismList',
  'C_GetMechanismInfo', 'C_InitToken', 'C_InitPIN', 'C_SetPIN', 'C_OpenSession', 'C_CloseSession', 'C_CloseAllSessions', 'C_GetSessionInfo',
  'C_GetOperationState', 'C_SetOperationState', 'C_Login', 'C_Logout', 'C_CreateObject', 'C_CopyObject', 'C_DestroyObject', 'C_GetObjectSize',
  'C_GetAttributeValue', 'C_SetAttributeValue', 'C_FindObjectsInit', 'C_FindObjects', 'C_FindObjectsFinal', 'C_EncryptInit', 'C_Encrypt',
  'C_EncryptUpdate', 'C_EncryptFinal', 'C_DecryptInit', 'C_Decrypt', 'C_DecryptUpdate', 'C_DecryptFinal', 'C_DigestInit', 'C_Digest',
  'C_DigestUpdate', 'C_DigestKey', 'C_DigestFinal', 'C_SignInit', 'C_Sign', 'C_SignUpdate', 'C_SignFinal', 'C_SignRecoverInit', 'C_SignRecover',
  'C_VerifyInit', 'C_Verify', 'C_VerifyUpdate', 'C_VerifyFinal', 'C_VerifyRecoverInit', 'C_VerifyRecover', 'C_DigestEncryptUpdate',
  'C_DecryptDigestUpdate', 'C_SignEncryptUpdate', 'C_DecryptVerifyUpdate', 'C_GenerateKey', 'C_GenerateKeyPair',
] as const

export const CKF = {
  OS_LOCKING_OK: 0x2, RW_SESSION: 0x2, SERIAL_SESSION: 0x4,
  LOGIN_REQUIRED: 0x4, TOKEN_INITIALIZED: 0x400, USER_PIN_FINAL_TRY: 0x20000, USER_PIN_LOCKED: 0x40000,
} as const

export const CKU_USER = 1

export const CKA = {
  CLASS: 0x0, TOKEN: 0x1, PRIVATE: 0x2, LABEL: 0x3, KEY_TYPE: 0x100, ID: 0x102, SENSITIVE: 0x103, SIGN: 0x108, VERIFY: 0x10a,
  MODULUS: 0x120, MODULUS_BITS: 0x121, PUBLIC_EXPONENT: 0x122, EXTRACTABLE: 0x162, EC_PARAMS: 0x180, EC_POINT: 0x181,
} as const

export const CKO = { PUBLIC_KEY: 2, PRIVATE_KEY: 3 } as const
export const CKK = { RSA: 0x0, EC: 0x3, EC_EDWARDS: 0x40 } as const

export const CKM = {
  RSA_PKCS_KEY_PAIR_GEN: 0x0, RSA_PKCS: 0x1, RSA_PKCS_PSS: 0xd, SHA256: 0x250, SHA384: 0x260, SHA512: 0x270,
  EC_KEY_PAIR_GEN: 0x1040, ECDSA: 0x1041, EC_EDWARDS_KEY_PAIR_GEN: 0x1055, EDDSA: 0x1057,
} as const

export const CKG = { MGF1_SHA256: 2, MGF1_SHA384: 3, MGF1_SHA512: 4 } as const

const CKR: Record<number, string> = {
  0x0: 'CKR_OK', 0x2: 'CKR_HOST_MEMORY', 0x3: 'CKR_SLOT_ID_INVALID', 0x5: 'CKR_GENERAL_ERROR', 0x6: 'CKR_FUNCTION_FAILED', 0x7: 'CKR_ARGUMENTS_BAD',
  0x10: 'CKR_ATTRIBUTE_READ_ONLY', 0x11: 'CKR_ATTRIBUTE_SENSITIVE', 0x12: 'CKR_ATTRIBUTE_TYPE_INVALID', 0x13: 'CKR_ATTRIBUTE_VALUE_INVALID',
  0x20: 'CKR_DATA_INVALID', 0x21: 'CKR_DATA_LEN_RANGE', 0x30: 'CKR_DEVICE_ERROR', 0x31: 'CKR_DEVICE_MEMORY', 0x32: 'CKR_DEVICE_REMOVED',
  0x54: 'CKR_FUNCTION_NOT_SUPPORTED', 0x60: 'CKR_KEY_HANDLE_INVALID', 0x62: 'CKR_KEY_SIZE_RANGE', 0x63: 'CKR_KEY_TYPE_INCONSISTENT',
  0x68: 'CKR_KEY_FUNCTION_NOT_PERMITTED', 0x70: 'CKR_MECHANISM_INVALID', 0x71: 'CKR_MECHANISM_PARAM_INVALID', 0x82: 'CKR_OBJECT_HANDLE_INVALID',
  0x90: 'CKR_OPERATION_ACTIVE', 0x91: 'CKR_OPERATION_NOT_INITIALIZED', 0xa0: 'CKR_PIN_INCORRECT', 0xa1: 'CKR_PIN_INVALID', 0xa2: 'CKR_PIN_LEN_RANGE',
  0xa3: 'CKR_PIN_EXPIRED', 0xa4: 'CKR_PIN_LOCKED', 0xb0: 'CKR_SESSION_CLOSED', 0xb1: 'CKR_SESSION_COUNT', 0xb3: 'CKR_SESSION_HANDLE_INVALID',
  0xb5: 'CKR_SESSION_READ_ONLY', 0xd0: 'CKR_TEMPLATE_INCOMPLETE', 0xd1: 'CKR_TEMPLATE_INCONSISTENT', 0xe0: 'CKR_TOKEN_NOT_PRESENT',
  0xe1: 'CKR_TOKEN_NOT_RECOGNIZED', 0xe2: 'CKR_TOKEN_WRITE_PROTECTED', 0x100: 'CKR_USER_ALREADY_LOGGED_IN', 0x101: 'CKR_USER_NOT_LOGGED_IN',
  0x102: 'CKR_USER_PIN_NOT_INITIALIZED', 0x130: 'CKR_DOMAIN_PARAMS_INVALID', 0x190: 'CKR_CRYPTOKI_NOT_INITIALIZED', 0x191: 'CKR_CRYPTOKI_ALREADY_INITIALIZED',
}

/** The name of a return value, or its number where it is a vendor's own. */
export const nameOfResult = (value: number): string => CKR[value] ?? `CKR 0x${value.toString(16)}`
