// The screen that the viewer lacks the permission for: which one it is, by the words of the role editor, and who can grant it.

import { Text } from '@mantine/core'
import { useLocation } from 'react-router'
import { isPermission, permissions } from '#core/contract/permission-labels.ts'
import { useBootstrap } from '../bootstrap.ts'
import { AskForHelp } from '../kit/AskForHelp.tsx'
import { TextLink } from '../kit/links.tsx'
import { Page } from '../kit/Page.tsx'
import { textIn } from '../location-state.ts'
import { t } from '../text.ts'

export function Denied() {
  const state: unknown = useLocation().state
  const { viewer } = useBootstrap()
  const [needs, screen, page] = [textIn(state, 'needs'), textIn(state, 'title'), textIn(state, 'page')]
  const title = t('You do not have access to this page')
  const lacks =
    needs === undefined || !isPermission(needs)
      ? ''
      : t('{screen} needs the permission “{permission}” ({name}).', {
          screen: screen === undefined ? t('This page') : t(screen),
          permission: t(permissions[needs]),
          name: needs,
        })
  return (
    <Page title={title} narrow>
      {lacks !== '' && <Text>{lacks}</Text>}
      <Text>
        {t('An administrator of {tenancy} can grant it through one of your roles.', {
          tenancy: viewer?.tenantName ?? t('your organisation'),
        })}
      </Text>
      <AskForHelp refusal={{ title, says: lacks, fields: [], reference: undefined }} page={page} />
      <TextLink to="/home">{t('Go to Home')}</TextLink>
    </Page>
  )
}
