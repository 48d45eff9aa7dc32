import { fromFile } from '#core/console/from-file.ts'
import type { CertificateSlot, SlotComponent, SlotProps } from './certificate-actions.ts'

/** What a room puts into a certificate's page. The file exports one component, by its name. */
export const certificateSlot = (load: () => Promise<Record<string, SlotComponent>>): CertificateSlot =>
  fromFile<SlotProps, SlotComponent>(load)
