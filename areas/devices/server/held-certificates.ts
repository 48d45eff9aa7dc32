// The certificates that a device has by its names and its serial number.

import { certificatesOfDevice } from '#areas/certificates/service.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { certificateNames } from '../rules.ts'
import type { DeviceRecord } from './store.ts'

const running = new Set(['active', 'expiring', 'onHold', 'pending'])

export const ofDevice = (tenancy: Tenancy, device: DeviceRecord) =>
  certificatesOfDevice(tenancy, { names: certificateNames(device), serial: device.serial })

/** Counts those that would go on without their device. */
export const countRunning = async (tenancy: Tenancy, device: DeviceRecord): Promise<number> =>
  (await ofDevice(tenancy, device)).filter(({ status }) => running.has(status)).length
