import { counted } from './locale.ts';
import type { reports as english } from './reports.en.ts';

export const reports: typeof english = {
  reports: {
    download: 'Descargar un periodo',
    downloadExplain:
      'Visitantes en un archivo para una hoja de cálculo, comparados con los mismos días de la semana anteriores.',
    table: 'Tabla',
    tables: {
      day: 'Por días',
      hour: 'Por horas',
      week: 'Por semanas',
      month: 'Por meses',
      stores: 'Por tiendas',
    },
    scope: 'Qué tiendas',
    allStores: 'Todas las tiendas',
    groups: 'Grupos',
    stores: 'Tiendas',
    someStores: (n: number) => counted(n, { one: 'tienda', other: 'tiendas' }),
    from: 'Desde',
    to: 'Hasta',
    wrongPeriod: 'Escriba dos fechas, primero la más antigua.',
    byMail: 'Informes por correo',
    explain:
      'Un informe llega dos minutos después de que cierre la última de sus tiendas y dice si está completo. Si después llegan cifras que lo cambian, usted recibe un informe corregido.',
    none: 'Todavía no hay ningún informe configurado.',
    add: 'Añadir un informe',
    name: 'Nombre',
    period: 'Con qué frecuencia',
    periods: { daily: 'Cada día', weekly: 'Cada semana', monthly: 'Cada mes' },
    recipients: 'Direcciones de correo, una por línea',
    enabled: 'Enviar este informe',
    off: 'Desactivado',
    remove: 'Eliminar',
    sent: (time: string) => `Último envío: ${time}`,
    neverSent: 'Todavía no enviado',
    problem: 'El último correo no se pudo enviar. El servidor lo intentará de nuevo.',
    refused:
      'No se puede guardar. Revise las direcciones y el nombre: ningún otro informe puede tener el mismo.',
  },
};
