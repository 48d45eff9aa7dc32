// The screen that the viewer lacks the permission for: which one it is, by the words of the role editor, and who can grant it.

import { Text } from '@mantine/core'
import { useLocation } from 'react-router'
import { isPermission, permissions } from '#core/contract/permission-labels.ts'
import { useBootstrap } from '../bootstrap.ts'
import { TextLink } from '../kit/links.tsx'
import { Page } from '../kit/Page.tsx'
import { t } from '../text.ts'

export function Denied() {
  const state: unknown = useLocation().state
  const { viewer } = useBootstrap()
  const needs = typeof state === 'object' && state !== null && 'needs' in state && typeof state.needs === 'string' ? state.needs : undefined
  const screen =
    typeof state === 'object' && state !== null && 'title' in state && typeof state.title === 'string' ? state.title : undefined
  return (
    <Page title={t('You do not have access to this page')} narrow>
      {needs !== undefined && isPermission(needs) && (
        <Text>
          {t('{screen} needs the permission “{permission}” ({name}).', {
            screen: screen === undefined ? t('This page') : t(screen),
            permission: t(permissions[needs]),
            name: needs,
          })}
        </Text>
      )}
      <Text>
        {t('An administrator of {tenancy} can grant it through one of your roles.', {
          tenancy: viewer?.tenantName ?? t('your organisation'),
        })}
      </Text>
      <TextLink to="/home">{t('Go to Home')}</TextLink>
    </Page>
  )
}
