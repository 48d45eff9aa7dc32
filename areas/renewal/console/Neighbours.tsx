import { Text } from '@mantine/core'
import { certificates } from '#areas/certificates/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { TextLink } from '#core/console/kit/links.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { renewal, type RenewalInfo } from '../contract.ts'

/** In whose place it came, and what came in its place. */
export function Neighbours({ info: { renews, renewedBy } }: { info: RenewalInfo }) {
  const may = useMay()
  // Who may not see certificates still sees the renewals of those that are the person's own.
  const pathOf = (certId: string): string => to(may('certView', 'View') ? certificates.screens.view : renewal.screens.view, { certId })
  return (
    <>
      {renews !== undefined && (
        <Text size="sm">
          {t('It renews')} <TextLink to={pathOf(renews.certificateId)}>{renews.serialNumber}</TextLink>
        </Text>
      )}
      {renewedBy !== undefined && (
        <Text size="sm">
          {t('Renewed by')} <TextLink to={pathOf(renewedBy.certificateId)}>{renewedBy.serialNumber}</TextLink>
        </Text>
      )}
    </>
  )
}
