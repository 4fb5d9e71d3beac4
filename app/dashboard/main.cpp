// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/main_window.h"

#include <QApplication>

using namespace throttlescope::dashboard;

int main(int argc, char **argv)
{
    QApplication application{argc, argv};
    QApplication::setOrganizationName("throttlescope");
    QApplication::setApplicationName("throttlescope-dashboard");
    MainWindow window;
    window.show();
    return QApplication::exec();
}
