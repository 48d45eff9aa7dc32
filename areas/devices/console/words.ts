// What people call the states of devices, what they are known by, and who says so.

import { t } from '#core/console/text.ts'
import type { DeviceStatus, IdentifierKind, SourceKind } from '../rules.ts'

export const statusWord = (status: DeviceStatus): string =>
  ({
    planned: t('Planned'),
    active: t('Active'),
    stored: t('In store'),
    lost: t('Lost'),
    retired: t('Retired'),
  })[status]

/** The product's status whose colour and icon it has. */
export const statusLook = { planned: 'draft', active: 'active', stored: 'disabled', lost: 'warning', retired: 'cancelled' } as const

export const kindWord = (kind: IdentifierKind): string =>
  ({
    serial: t('Serial number'),
    eui48: t('MAC address'),
    eui64: t('EUI-64'),
    uuid: t('UUID'),
    imei: t('IMEI'),
    asset: t('Asset number'),
    fqdn: t('Full host name'),
    hwModule: t('Hardware module name'),
    tpmEk: t('TPM endorsement key'),
  })[kind]

export const sourceWord = (source: SourceKind): string =>
  ({ typed: t('Entered here'), csv: t('CSV file'), scim: t('SCIM'), mdm: t('Device management') })[source]
